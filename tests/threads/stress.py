"""Staged and plain code in eight threads at once: nothing is lost, nothing is torn, nothing fails.

    snekpy stress.py SCENARIO ROUNDS SEED

runs one scenario, or `all`. In each round the functions are new, so that all threads call them first; the even threads
call them staged, the odd ones plain, or all of them staged, by turns. The last line says how much was looked at and how
much of it was wrong.
"""

import random
import sys
import threading
import traceback
from array import array
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

from snekpy import stage

THREADS = 8


class Report:
    """What a scenario has found."""

    def __init__(self):
        self.checks = 0
        self.lost = 0
        self.errors = 0
        self.lock = threading.Lock()

    def equal(self, what, got, expected):
        with self.lock:
            self.checks += 1
            if got != expected:
                self.lost += 1
                print(f"lost: {what}: {got!r:.300} and not {expected!r:.300}")

    def failed(self):
        with self.lock:
            self.errors += 1
            print("error:", traceback.format_exc())


def together(report, work):
    """Runs `work(i)` in all threads at once."""
    barrier = threading.Barrier(THREADS)

    def run(i):
        try:
            barrier.wait()
            work(i)
        except BaseException:
            report.failed()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Functions:
    """New functions of a source, staged for some threads and plain for others."""

    def __init__(self, source, all_staged, **names):
        self.names = dict(names, stage=stage, threading=threading)
        exec(source, self.names)
        self.all_staged = all_staged
        made = [name for name, it in self.names.items() if callable(it) and getattr(it, "__module__", 1) is None]
        self.staged = {name: stage(self.names[name]) for name in made}

    def of(self, i, name):
        return self.staged[name] if self.all_staged or i % 2 == 0 else self.names[name]


def new(source, all_staged, **names):
    return Functions("__name__ = None\n" + source, all_staged, **names)


SCENARIOS = {}


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


@scenario
def lists(report, all_staged, n):
    """Slots of lists: a global one, one that is passed, one in another."""
    shared, passed, nested = [0] * THREADS, [0.0] * THREADS, [[0] * THREADS, [0] * THREADS]
    functions = new("""
def count(i, n):
    for k in range(n):
        shared[i] += 1
def count_in(items, i, n):
    for k in range(n):
        items[i] += 1.0
def count_inside(rows, i, n):
    for k in range(n):
        rows[k % 2][i] += 1
def fill(items, i, n):
    items[i] = n
""", all_staged, shared=shared)

    def work(i):
        for _ in range(3):
            functions.of(i, "count")(i, n)
            functions.of(i, "count_in")(passed, i, n)
            functions.of(i, "count_inside")(nested, i, 2 * n)
        functions.of(i, "fill")(shared, i, shared[i] + i)

    together(report, work)
    report.equal("slots of a global list", shared, [3 * n + i for i in range(THREADS)])
    report.equal("slots of a list that is passed", passed, [3.0 * n] * THREADS)
    report.equal("slots of inner lists", nested, [[3 * n] * THREADS] * 2)


@scenario
def growing(report, all_staged, n):
    """All append to the same lists."""
    shared, passed, mixed = [], [], []
    functions = new("""
def add(i, n):
    for k in range(n):
        shared.append((i, k))
def add_to(items, i, n):
    for k in range(n):
        items.append(i * 1000000 + k)
def add_some(items, i, n):
    for k in range(n):
        if k % 3 == 0:
            items.append(str(i))
        elif k % 3 == 1:
            items.extend([i, i])
    return len(items)
""", all_staged, shared=shared)

    def work(i):
        functions.of(i, "add")(i, n)
        functions.of(i, "add_to")(passed, i, n)
        functions.of(i, "add_some")(mixed, i, n)

    together(report, work)
    for i in range(THREADS):
        report.equal("what one thread appended", [k for j, k in shared if j == i], list(range(n)))
        report.equal("what one thread appended", [k % 1000000 for k in passed if k // 1000000 == i], list(range(n)))
        report.equal("texts", mixed.count(str(i)), len(range(0, n, 3)))
        report.equal("numbers", mixed.count(i), 2 * len(range(1, n, 3)))


@scenario
def dicts(report, all_staged, n):
    """Keys of dicts: those that are there, new ones, those of a dict that is passed."""
    shared, fresh, passed = dict.fromkeys(range(THREADS), 0), {}, dict.fromkeys("abcdefgh", 0)
    functions = new("""
def count(i, n):
    for k in range(n):
        shared[i] += 1
def put(i, n):
    for k in range(n):
        fresh[i * 1000000 + k] = k
def count_in(table, key, n):
    for k in range(n):
        table[key] += 1
def look(table):
    total = 0
    for key, value in list(table.items()):
        total += value
    return total
def take(i, n):
    for k in range(0, n, 2):
        del fresh[i * 1000000 + k]
""", all_staged, shared=shared, fresh=fresh)
    all_put = threading.Barrier(THREADS)

    def work(i):
        for _ in range(3):
            functions.of(i, "count")(i, n)
            functions.of(i, "count_in")(passed, "abcdefgh"[i], n)
            functions.of(i, "look")(shared)
        functions.of(i, "put")(i, n)
        all_put.wait(timeout=60)
        functions.of(i, "take")(i, n)

    together(report, work)
    report.equal("values of a global dict", shared, dict.fromkeys(range(THREADS), 3 * n))
    report.equal("values of a dict that is passed", passed, dict.fromkeys("abcdefgh", 3 * n))
    left = {i * 1000000 + k: k for i in range(THREADS) for k in range(1, n, 2)}
    report.equal("new keys", dict(sorted(fresh.items())), left)


@scenario
def sets(report, all_staged, n):
    """Members of one set."""
    shared, passed = set(), set()
    functions = new("""
def add(i, n):
    for k in range(n):
        shared.add(i * 1000000 + k)
def change(items, i, n):
    for k in range(n):
        items.add(i * 1000000 + k)
    return len(items) >= n // 2
def drop(items, i, n):
    for k in range(0, n, 3):
        items.discard(i * 1000000 + k)
    return len(items) >= n // 2
""", all_staged, shared=shared)
    all_added = threading.Barrier(THREADS)

    def work(i):
        functions.of(i, "add")(i, n)
        functions.of(i, "change")(passed, i, n)
        all_added.wait(timeout=60)
        functions.of(i, "drop")(passed, i, n)

    together(report, work)
    report.equal("members", shared, {i * 1000000 + k for i in range(THREADS) for k in range(n)})
    report.equal("members", passed, {i * 1000000 + k for i in range(THREADS) for k in range(n) if k % 3})


class Counter:
    def __init__(self):
        self.n = 0

    def add(self, k):
        self.n += k
        return self.n


@scenario
def objects(report, all_staged, n):
    """Attributes: each thread has one of a shared object, and an object of its own that others read."""
    shared, own = Counter(), [Counter() for _ in range(THREADS)]
    for i in range(THREADS):
        setattr(shared, f"x{i}", 0)
    methods = "".join(f"""
def count{i}(n):
    for k in range(n):
        shared.x{i} += 1
""" for i in range(THREADS))
    functions = new(methods + """
def count(counter, n):
    for k in range(n):
        counter.n += 1
def call(counter, n):
    for k in range(n):
        counter.add(2)
    return counter.n
def read(counters):
    total = 0
    for counter in counters:
        total += counter.n
    return total
""", all_staged, shared=shared)

    def work(i):
        last = 0
        for _ in range(3):
            functions.of(i, f"count{i}")(n)
            functions.of(i, "count")(own[i], n)
            functions.of(i, "call")(own[i], n)
            total = functions.of(i, "read")(own)
            if total < last:
                report.equal("what is read grows", total, last)
            last = total

    together(report, work)
    report.equal("attributes of one object", [getattr(shared, f"x{i}") for i in range(THREADS)], [3 * n] * THREADS)
    report.equal("objects of their own", [it.n for it in own], [9 * n] * THREADS)


@scenario
def arrays(report, all_staged, n):
    """Elements of arrays."""
    ints, floats = array("q", [0] * THREADS), array("d", [0.0] * (2 * THREADS))
    functions = new("""
def count(items, i, n):
    for k in range(n):
        items[i] += 1
def sums(items, i, n):
    for k in range(n):
        items[2 * i] += 0.5
        items[2 * i + 1] += items[2 * i]
""", all_staged)

    def work(i):
        for _ in range(3):
            functions.of(i, "count")(ints, i, n)
            functions.of(i, "sums")(floats, i, n)

    together(report, work)
    report.equal("ints", list(ints), [3 * n] * THREADS)
    report.equal("floats", list(floats[::2]), [1.5 * n] * THREADS)
    report.equal("sums", list(floats[1::2]), [sum(0.5 * k for k in range(1, 3 * n + 1))] * THREADS)


@scenario
def variables(report, all_staged, n):
    """Globals and closures, one for each thread, and one for all under a lock."""
    source = "".join(f"""
g{i} = 0
def count{i}(n):
    global g{i}
    for k in range(n):
        g{i} += 1
    return g{i}
""" for i in range(THREADS)) + """
total = 0
lock = threading.Lock()
def locked(n):
    global total
    for k in range(n):
        with lock:
            total += 1
"""
    functions = new(source, all_staged)

    def closure(staged):
        seen = 0

        def count(n):
            nonlocal seen
            for k in range(n):
                seen += 1
            return seen

        return stage(count) if staged else count

    closures = [closure(all_staged or i % 2 == 0) for i in range(THREADS)]
    results = [None] * THREADS

    def work(i):
        for _ in range(2):
            functions.of(i, f"count{i}")(n)
            results[i] = closures[i](n)
        functions.of(i, "locked")(n // 10)

    together(report, work)
    report.equal("globals", [functions.names[f"g{i}"] for i in range(THREADS)], [2 * n] * THREADS)
    report.equal("closures", results, [2 * n] * THREADS)
    report.equal("under a lock", functions.names["total"], THREADS * (n // 10))


@scenario
def pairs(report, all_staged, n):
    """Who writes one thing and then another is not seen to have written the other alone."""
    a, b, box, table = [0], [0], Counter(), {"p": (0, 0)}
    functions = new("""
def write(a, b, box, k):
    a[0] = k
    b[0] = k
    box.n = k
    table["p"] = (k, -k)
def read(a, b, box):
    n = box.n
    y = b[0]
    x = a[0]
    p = table["p"]
    return n <= y and y <= x and p[0] + p[1] == 0
def read_many(a, b, n):
    wrong = 0
    for k in range(n):
        y = b[0]
        if a[0] < y:
            wrong += 1
    return wrong
""", all_staged, table=table)

    def work(i):
        if i == 0:
            write = functions.of(i + (n & 1), "write")
            for k in range(1, n):
                write(a, b, box, k)
            return
        read, read_many = functions.of(i, "read"), functions.of(i, "read_many")
        wrong = sum(not read(a, b, box) for _ in range(n // 4)) + read_many(a, b, n)
        report.equal("half of a pair", wrong, 0)

    together(report, work)


@scenario
def flags(report, all_staged, n):
    """A loop ends when another thread says so, wherever it says it."""
    items, table, box, cells = [0], {"stop": False}, Counter(), array("q", [0])
    functions = new("""
STOP = False
def by_global():
    n = 0
    while not STOP:
        n += 1
    return n
def by_list(items):
    n = 0
    while items[0] == 0:
        n += 1
    return n
def by_dict():
    n = 0
    while not table["stop"]:
        n += 1
    return n
def by_object(box):
    n = 0
    while box.n == 0:
        n += 1
    return n
def by_array(cells):
    n = 0
    while cells[0] == 0:
        n += 1
    return n
""", all_staged, table=table)
    ended = []

    def work(i):
        if i == 0:
            threading.Event().wait(0.03)
            functions.names["STOP"], items[0], table["stop"], box.n, cells[0] = True, 1, True, 1, 1
            return
        calls = [("by_global", ()), ("by_list", (items,)), ("by_dict", ()), ("by_object", (box,)), ("by_array", (cells,))]
        name, args = calls[i % len(calls)]
        functions.of(i // 2, name)(*args)
        ended.append(i)

    together(report, work)
    report.equal("loops that ended", sorted(ended), list(range(1, THREADS)))


@scenario
def first_calls(report, all_staged, n):
    """All call the same new functions at once, with several kinds of arguments."""
    source = """
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def mixed(x, items):
    total = x
    for item in items:
        total += item * x
    return total, len(items)
def text(n):
    return "".join(str(k) for k in range(n))
"""
    functions, plain = new(source, all_staged), new(source, False)
    calls = [("collatz", (27,)), ("fib", (12,)), ("mixed", (2, [1, 2, 3])), ("mixed", (0.5, [1, 2.5])), ("text", (5,))]
    expected = [plain.names[name](*args) for name, args in calls]

    def work(i):
        for k in range(len(calls)):
            name, args = calls[(i + k) % len(calls)]
            report.equal(name, functions.of(i, name)(*args), expected[(i + k) % len(calls)])

    together(report, work)


@scenario
def exceptions(report, all_staged, n):
    """Raised and handled, in staged code and outside."""
    seen = [0] * THREADS
    functions = new("""
def divide(i, k):
    try:
        return 100 // (k % 3)
    except ZeroDivisionError:
        seen[i] += 1
        return -1
def fail(items, k):
    if k % 5 == 0:
        raise KeyError(k)
    return items[k]
""", all_staged, seen=seen)

    def work(i):
        divide, fail = functions.of(i, "divide"), functions.of(i, "fail")
        caught = [0, 0]
        for k in range(n // 4):
            divide(i, k)
            try:
                fail([1, 2, 3], k % 7)
            except KeyError as error:
                caught[0] += error.args == (k % 7,)
            except IndexError:
                caught[1] += 1
        ks = [k % 7 for k in range(n // 4)]
        report.equal("exceptions", caught, [sum(k % 5 == 0 for k in ks), sum(k % 5 != 0 and k > 2 for k in ks)])

    together(report, work)
    report.equal("handlers", seen, [len(range(0, n // 4, 3))] * THREADS)


@scenario
def generators(report, all_staged, n):
    """Generators of each thread, and one object that all count in."""
    shared = [0] * THREADS
    functions = new("""
def numbers(n):
    for k in range(n):
        yield k * k
def total(n):
    result = 0
    for k in numbers(n):
        result += k
    return result
def counting(i, n):
    for k in numbers(n):
        shared[i] += 1
        yield k
def drain(i, n):
    return sum(counting(i, n))
""", all_staged, shared=shared)
    squares = sum(k * k for k in range(n))

    def work(i):
        report.equal("a sum", functions.of(i, "total")(n), squares)
        report.equal("a sum", functions.of(i, "drain")(i, n), squares)

    together(report, work)
    report.equal("counts", shared, [n] * THREADS)


@scenario
def coming_and_going(report, all_staged, n):
    """The first thread calls while others begin and end: a call is alone, and then it is not."""
    shared, box = [0] * (THREADS + 1), Counter()
    functions = new("""
def count(items, i, n):
    for k in range(n):
        items[i] += 1
def count_own(box, n):
    for k in range(n):
        box.n += 1
    return box.n
""", all_staged)
    count, own = functions.of(0, "count"), functions.of(0, "count_own")
    threads = []
    for i in range(THREADS):
        count(shared, THREADS, n)
        own(box, n)
        threads.append(threading.Thread(target=functions.of(i, "count"), args=(shared, i, n)))
        threads[-1].start()
        count(shared, THREADS, n)
        own(box, n)
        if i % 3 == 2:
            for thread in threads:
                thread.join()
    for thread in threads:
        thread.join()
    report.equal("slots", shared, [n] * THREADS + [2 * THREADS * n])
    report.equal("an object", box.n, 2 * THREADS * n)


@scenario
def pools(report, all_staged, n):
    """An executor, and a queue between two threads."""
    functions = new("""
def kernel(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total
def produce(queue, n):
    for k in range(n):
        queue.put(k)
    queue.put(None)
def consume(queue):
    total = 0
    while True:
        k = queue.get()
        if k is None:
            return total
        total += k
""", all_staged)
    work = [[float(k + j) for k in range(n % 50 + 10)] for j in range(4 * THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        results = list(pool.map(functions.of(0, "kernel"), work))
    report.equal("results", results, [functions.names["kernel"](xs) for xs in work])
    queue, results = Queue(), []
    consumer = threading.Thread(target=lambda: results.append(functions.of(0, "consume")(queue)))
    consumer.start()
    functions.of(0, "produce")(queue, n)
    consumer.join()
    report.equal("what came through the queue", results, [sum(range(n))])


def main(name, rounds, seed):
    chosen = list(SCENARIOS) if name == "all" else [name]
    generator = random.Random(seed)
    report = Report()
    for number in range(rounds):
        for name in chosen:
            try:
                SCENARIOS[name](report, number % 2 == 0, generator.randrange(50, 400))
            except BaseException:
                report.failed()
    print(f"{report.checks} looked at, {report.lost} lost, {report.errors} errors")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
