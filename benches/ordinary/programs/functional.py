import itertools
import logging
import operator
import os
import tempfile
from datetime import date, timedelta
from functools import reduce, wraps
from io import StringIO


def naturals():
    n = 0
    while True:
        yield n
        n += 1


def pipeline(n):
    squares = (x * x for x in naturals())
    odd = (x for x in squares if x % 2)
    return sum(itertools.islice(odd, n))


def chunks(items, size):
    for i in range(0, len(items), size):
        yield items[i : i + size]


def chunked(items):
    return [sum(chunk) for chunk in chunks(items, 7)]


def flatten(items):
    for item in items:
        if isinstance(item, list):
            yield from flatten(item)
        else:
            yield item


def make_nested(n):
    nested = []
    for i in range(n):
        nested = [i, nested, [i + 1]] if i % 3 else [i, [i, [i]], *nested[:2]]
    return nested


def counted(function):
    calls = 0

    @wraps(function)
    def wrapper(*args):
        nonlocal calls
        calls += 1
        wrapper.calls = calls
        return function(*args)

    return wrapper


@counted
def clamp(x, low, high):
    return max(low, min(x, high))


def clamp_all(n):
    return sum(clamp(i % 37, 5, 30) for i in range(n))


def compose(*functions):
    return reduce(lambda f, g: lambda x: g(f(x)), functions)


def composed(n):
    f = compose(lambda x: x + 1, lambda x: x * 2, lambda x: x - 3)
    return [f(i) for i in range(n)]


def make_counter():
    count = 0

    def step(by=1):
        nonlocal count
        count += by
        return count

    return step


def counters(n):
    a, b = make_counter(), make_counter()
    for i in range(n):
        a()
        if i % 3 == 0:
            b(2)
    return a(0), b(0)


def group(records):
    ordered = sorted(records, key=operator.itemgetter("city"))
    return {city: [r["age"] for r in them] for city, them in itertools.groupby(ordered, key=operator.itemgetter("city"))}


def invert(table):
    result = {}
    for key, values in table.items():
        for value in values:
            result.setdefault(value, []).append(key)
    return result


def safe_divide(pairs):
    total, errors = 0.0, []
    for a, b in pairs:
        try:
            total += a / b
        except ZeroDivisionError as error:
            errors.append(str(error))
        finally:
            total += 1
    return total, len(errors)


def parse_numbers(texts):
    good, bad = 0, 0
    for text in texts:
        try:
            good += int(text)
        except ValueError:
            bad += 1
    return good, bad


def render(rows):
    out = StringIO()
    for row in rows:
        out.write(",".join(str(cell) for cell in row))
        out.write("\n")
    return out.getvalue()


def report(n):
    out = StringIO()
    total = 0.0
    for i in range(n):
        x = i * 0.37
        total += (x * x - x) / (1.0 + x)
        if i % 50 == 0:
            out.write(f"{i:5d} {total:10.3f}\n")
    return out.getvalue()


def log_loop(n):
    logger = logging.getLogger("ordinary")
    logger.setLevel(logging.ERROR)
    total = 0
    for i in range(n):
        total += i * i % 7
        logger.info("step %d", i)
    return total


def write_file(n):
    path = os.path.join(tempfile.gettempdir(), f"snekpy-ordinary-{os.getpid()}.txt")
    with open(path, "w") as out:
        for i in range(n):
            out.write(f"{i} {i * i}\n")
    total = 0
    with open(path) as lines:
        for line in lines:
            a, b = line.split()
            total += int(b) - int(a)
    os.remove(path)
    return total


def weekdays(n):
    day, counts = date(2024, 1, 1), [0] * 7
    for _ in range(n):
        counts[day.weekday()] += 1
        day += timedelta(days=1)
    return counts


def triples(n):
    return [(a, b, c) for a in range(1, n) for b in range(a, n) for c in range(b, n) if a * a + b * b == c * c]


def matrix_products(rows):
    return sum(reduce(operator.mul, row) for row in rows)


def combos(items, size):
    return sum(1 for combo in itertools.combinations(items, size) if sum(combo) % 5 == 0)


def running(numbers):
    return list(itertools.accumulate(numbers, max))[-1], list(itertools.accumulate(numbers))[-1]


def sliding(numbers, width):
    window, best = sum(numbers[:width]), 0
    for i in range(width, len(numbers)):
        window += numbers[i] - numbers[i - width]
        best = max(best, window)
    return best


def binary_search(numbers, target):
    low, high = 0, len(numbers) - 1
    while low <= high:
        middle = (low + high) // 2
        if numbers[middle] == target:
            return middle
        if numbers[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def search_all(numbers):
    return sum(binary_search(numbers, target) for target in range(0, 3000, 3))


def two_sum(numbers, target):
    seen = {}
    for i, number in enumerate(numbers):
        if target - number in seen:
            return seen[target - number], i
        seen[number] = i
    return None


ROWS = [[(i * 7 + j) % 10 + 1 for j in range(6)] for i in range(200)]
NUMBERS = [(i * 7919) % 1009 for i in range(1500)]
ORDERED = list(range(0, 4000, 2))
RECORDS = [{"city": "abc"[i % 3], "age": i % 60, "name": f"n{i}"} for i in range(400)]
TABLE = {f"k{i}": [i % 7, i % 11, i % 13] for i in range(200)}
TEXTS = [str(i) if i % 5 else f"x{i}" for i in range(800)]
PAIRS = [(i, i % 5) for i in range(1000)]
NESTED = make_nested(60)


def bench_pipeline():
    return pipeline(2000)


def bench_chunks():
    return chunked(NUMBERS)


def bench_flatten():
    return sum(flatten(NESTED))


def bench_flatten_list():
    return list(flatten(NESTED))


def bench_clamp():
    return clamp_all(2000)


def bench_compose():
    return composed(1500)


def bench_counters():
    return counters(4000)


def bench_group():
    return group(RECORDS)


def bench_invert():
    return invert(TABLE)


def bench_divide():
    return safe_divide(PAIRS)


def bench_parse():
    return parse_numbers(TEXTS)


def bench_render():
    return render(ROWS)


def bench_report():
    return report(5000)


def bench_log():
    return log_loop(1500)


def bench_file():
    return write_file(500)


def bench_weekdays():
    return weekdays(1000)


def bench_triples():
    return triples(40)


def bench_products():
    return matrix_products(ROWS)


def bench_combos():
    return combos(range(14), 4)


def bench_running():
    return running(NUMBERS)


def bench_sliding():
    return sliding(NUMBERS, 20)


def bench_search():
    return search_all(ORDERED)


def bench_two_sum():
    return two_sum(NUMBERS, 5000)
