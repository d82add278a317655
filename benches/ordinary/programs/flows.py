import contextlib
import functools
import itertools
import operator
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque

FRESH = itertools.count()


@contextlib.contextmanager
def section(log, name):
    log.append("<" + name)
    try:
        yield len(log)
    finally:
        log.append(name + ">")


def sections(n):
    log, deepest = [], 0
    for i in range(n):
        with section(log, "a") as a:
            if i % 3 == 0:
                with section(log, "b") as b:
                    deepest = max(deepest, b - a)
    return len(log), deepest


class Timer:
    def __init__(self, ticks):
        self.ticks, self.total = ticks, 0

    def __enter__(self):
        self.begin = next(self.ticks)
        return self

    def __exit__(self, kind, value, trace):
        self.total += next(self.ticks) - self.begin
        return kind is ValueError


def timers(n):
    timer, done = Timer(itertools.count()), 0
    for i in range(n):
        with timer:
            if i % 5 == 0:
                raise ValueError(i)
            done += 1
    return timer.total, done


def retry(times):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return function(*args, **kwargs)
                except RuntimeError:
                    if attempt == times - 1:
                        raise

        return wrapper

    return decorate


class Flaky:
    def __init__(self):
        self.calls = 0

    def get(self, x):
        self.calls += 1
        if self.calls % 3 == 0:
            raise RuntimeError("busy")
        return x * 2


def fetch_all(n):
    source = Flaky()
    fetch = retry(3)(source.get)
    return sum(fetch(i) for i in range(n)), source.calls


def parse_all(words):
    good, bad, errors = 0, 0, Counter()
    for word in words:
        try:
            value = int(word)
            good += 100 // value
        except ValueError:
            bad += 1
            errors["value"] += 1
        except ZeroDivisionError as error:
            errors[str(error)] += 1
        else:
            if value < 0:
                continue
        finally:
            errors["seen"] += 1
    return good, bad, dict(errors)


def averager():
    total, n, average = 0.0, 0, None
    while True:
        value = yield average
        total += value
        n += 1
        average = total / n


def running_mean(values):
    coroutine = averager()
    next(coroutine)
    return [coroutine.send(v) for v in values][-1]


def pairs(items):
    a, b = itertools.tee(items)
    next(b, None)
    return zip(a, b)


def rises(values):
    return sum(1 for a, b in pairs(values) if b > a)


def primes():
    yield 2
    found = []
    for n in itertools.count(3, 2):
        for p in found:
            if p * p > n:
                found.append(n)
                yield n
                break
            if n % p == 0:
                break
        else:
            found.append(n)
            yield n


def prime_sum(limit):
    return sum(itertools.takewhile(lambda p: p < limit, primes()))


def batched(items, n):
    it = iter(items)
    while batch := list(itertools.islice(it, n)):
        yield batch


def batch_sums(n):
    return [sum(b) for b in batched(range(n), 8)]


def runs(values):
    return [(key, len(list(group))) for key, group in itertools.groupby(values)]


def grouped_runs(values):
    return max(runs(values), key=operator.itemgetter(1))


def accumulate_all(values):
    best = max(itertools.accumulate(values, max))
    low = min(itertools.accumulate(values))
    return best, low, list(itertools.accumulate(values, operator.mul, initial=1))[5]


def triples(n):
    return [(a, b, c) for a, b, c in itertools.combinations(range(1, n), 3) if a * a + b * b == c * c]


def dice_sums():
    return Counter(map(sum, itertools.product(range(1, 7), repeat=3)))


def round_robin(*iterables):
    waiting = deque(map(iter, iterables))
    while waiting:
        it = waiting.popleft()
        try:
            yield next(it)
        except StopIteration:
            continue
        waiting.append(it)


def interleaved(n):
    return list(round_robin(range(n), "abc" * n, range(0, -n, -1)))[-5:]


@functools.lru_cache(maxsize=None)
def partitions(n, largest):
    if n == 0:
        return 1
    return sum(partitions(n - k, k) for k in range(1, min(n, largest) + 1))


def partition_table(n):
    partitions.cache_clear()
    return [partitions(i, i) for i in range(n)]


def curry(function, *args):
    return functools.partial(function, *args)


def clamp(low, high, x):
    return low if x < low else high if x > high else x


def clamped(n):
    limit = curry(clamp, 10, 20)
    return sum(map(limit, range(n)))


def composed(values):
    steps = [lambda x: x + 1, lambda x: x * x, lambda x: x % 101]
    return [functools.reduce(lambda x, f: f(x), steps, v) for v in values]


@functools.singledispatch
def describe(value):
    return "object"


@describe.register
def _(value: int):
    return f"int {value % 10}"


@describe.register
def _(value: str):
    return "str " + value[:1]


@describe.register(list)
def _(value):
    return "[" + ",".join(describe(v) for v in value) + "]"


def describe_all(values):
    return Counter(describe(v) for v in values).most_common(2)


def layered(n):
    defaults, user = {"size": 1, "color": 2}, {}
    settings, total = ChainMap(user, defaults), 0
    for i in range(n):
        if i % 4 == 0:
            settings["size"] = i
        total += settings["size"] + settings["color"]
    return total


def window_max(values, size):
    queue, out = deque(), []
    for i, v in enumerate(values):
        while queue and values[queue[-1]] <= v:
            queue.pop()
        queue.append(i)
        if queue[0] <= i - size:
            queue.popleft()
        if i >= size - 1:
            out.append(values[queue[0]])
    return sum(out)


def once_each(items):
    return list(OrderedDict.fromkeys(items))


def index_words(lines):
    index = defaultdict(set)
    for number, line in enumerate(lines):
        for word in line.split():
            index[word.lower().strip(".,")].add(number)
    return {word: sorted(numbers) for word, numbers in sorted(index.items()) if len(numbers) > 2}


def memoize(function):
    cache = {}

    def wrapper(n):
        if n not in cache:
            cache[n] = function(n)
        return cache[n]

    return wrapper


def catalans(n):
    @memoize
    def catalan(k):
        return 1 if k == 0 else sum(catalan(i) * catalan(k - 1 - i) for i in range(k))

    return [catalan(k) for k in range(n)]


def counter_machine(n):
    def make():
        state = {"n": 0}
        history = []

        def up(by=1):
            state["n"] += by
            history.append(state["n"])
            return state["n"]

        def undo():
            if history:
                history.pop()
            state["n"] = history[-1] if history else 0
            return state["n"]

        return up, undo

    up, undo = make()
    total = 0
    for i in range(n):
        total += up(i % 3) if i % 4 else undo()
    return total


def fizzbuzz(n):
    rules = ((3, "Fizz"), (5, "Buzz"))
    return Counter("".join(word for k, word in rules if i % k == 0) or "number" for i in range(n))


def event_loop(n):
    def task(name, steps):
        total = 0
        for i in range(steps):
            total += i * name
            yield
        return total

    ready, results = deque((k, task(k, k % 5 + 2)) for k in range(n)), {}
    while ready:
        name, it = ready.popleft()
        try:
            next(it)
        except StopIteration as stop:
            results[name] = stop.value
        else:
            ready.append((name, it))
    return sum(results.values())


def validate(rows):
    problems = []
    for number, row in enumerate(rows):
        try:
            if len(row) != 3:
                raise ValueError("length")
            a, b, c = row
            if c == 0:
                raise ZeroDivisionError
            if a / c > b:
                raise AssertionError(f"{a}/{c} > {b}")
        except (ValueError, AssertionError) as problem:
            problems.append((number, str(problem)))
        except ArithmeticError:
            problems.append((number, "zero"))
    return len(problems), problems[:3]


WORDS = ["12", "x", "0", "-7", "33", "four", "5", "0"] * 60
VALUES = [(i * 7919) % 1009 for i in range(1500)]
LINES = ["The quick brown fox jumps over the lazy dog.", "A dog, a fox and a cat.", "Quick, said the cat."] * 20
MIXED = [1, "a", [2, "b", [3]], 4.5, None, "cd", 77] * 30
ROWS = [(i, i % 17, i % 5) if i % 11 else (i, i) for i in range(400)]


def fresh(n):
    k = next(FRESH)
    return [(i * 7919 + k * 13) % 1009 for i in range(n)]


def bench_sections():
    return sections(300)


def bench_timers():
    return timers(400)


def bench_fetch():
    return fetch_all(400)


def bench_parse():
    return parse_all(WORDS)


def bench_mean():
    return running_mean(VALUES)


def bench_rises():
    return rises(fresh(1500))


def bench_primes():
    return prime_sum(1500 + next(FRESH))


def bench_batches():
    return batch_sums(3000)


def bench_runs():
    return grouped_runs([v // 300 for v in fresh(1500)])


def bench_accumulate():
    return accumulate_all(fresh(800))


def bench_triples():
    return triples(36)


def bench_dice():
    return dice_sums()


def bench_robin():
    return interleaved(300)


def bench_partitions():
    return partition_table(28)


def bench_clamped():
    return clamped(2500)


def bench_composed():
    return sum(composed(fresh(300)))


def bench_describe():
    return describe_all(MIXED)


def bench_layered():
    return layered(300)


def bench_window():
    return window_max(VALUES, 20)


def bench_window_fresh():
    return window_max(fresh(1200), 15)


def bench_once():
    return len(once_each(fresh(1500)))


def bench_index():
    return index_words(LINES)


def bench_catalans():
    return catalans(26)


def bench_counters():
    return counter_machine(1500 + next(FRESH))


def bench_fizzbuzz():
    return fizzbuzz(800)


def bench_loop():
    return event_loop(120)


def bench_validate():
    return validate(ROWS)
