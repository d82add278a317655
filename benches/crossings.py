"""What an instruction on an object costs in compiled code beside plain Python.

    snekpy -X snek:stage=always benches/crossings.py [NAME ...]

Each row is a loop of one such instruction, called plain and staged by turns in one process; medians of process time, in
nanoseconds per iteration with what the loop itself costs. The last column is staged by plain.
"""
import heapq
import io
import statistics
import sys
import time

from snekpy import stage

WORDS = [f"word{number % 50}" for number in range(1000)]
COUNTS = {word: number for number, word in enumerate(WORDS)}
NUMBERS = {number: number * 2 for number in range(1000)}
ROWS = {number: [(number, 1), (number + 1, 2)] for number in range(1000)}
PAIRS = [(f"a{number}", number) for number in range(1000)]
NESTED = [[f"x{number}", number] for number in range(1000)]
SEEN = set(WORDS)
OUT = io.StringIO()


class Point:
    def __init__(self, x):
        self.x = x
        self.name = "p"


POINTS = [Point(number) for number in range(300)]


def loop_only(n, a):
    k = 0
    for i in range(n):
        k += i & 3
    return k


def dict_get(n, counts):
    k = 0
    for i in range(n):
        k += counts[i % 1000]
    return k


def dict_words(n, words):
    k = 0
    counts = COUNTS
    for word in words:
        k += counts[word]
    return k


def dict_contains(n, words):
    k = 0
    for word in words:
        if word in SEEN:
            k += 1
    return k


def word_count(n, words):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return len(counts)


def word_count_if(n, words):
    counts = {}
    for word in words:
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return len(counts)


def rows(n, graph):
    k = 0
    for i in range(n):
        for node, weight in graph[i % 1000]:
            k += weight
    return k


def pairs(n, items):
    k = 0
    for name, number in items:
        k += number
    return k


def nested(n, items):
    k = 0
    for item in items:
        k += item[1]
    return k


def heap(n, a):
    queue = [(0, "a")]
    for i in range(n):
        heapq.heappush(queue, (i * 7 % 1000, "b"))
        heapq.heappop(queue)
    return len(queue)


def write(n, out):
    for i in range(n):
        out.write("x")
    out.seek(0)
    return n


def append(n, words):
    found = []
    for word in words:
        found.append(word)
    return len(found)


def split(n, words):
    k = 0
    for word in words:
        k += len(word.split("d"))
    return k


def lengths(n, words):
    k = 0
    for word in words:
        k += len(word)
    return k


def compare(n, words):
    k = 0
    for word in words:
        if word == "word7":
            k += 1
    return k


def attribute(n, points):
    k = 0
    for point in points:
        k += point.x
    return k


def attribute_set(n, points):
    for point in points:
        point.x += 1
    return n


def truth(n, items):
    k = 0
    for item in items:
        if item:
            k += 1
    return k


def texts(n, words):
    k = 0
    for i in range(n):
        k += len(f"{i}:")
    return k


CASES = [
    (loop_only, 1000, None), (dict_get, 1000, dict(NUMBERS, a=None)), (dict_words, 1000, WORDS), (dict_contains, 1000, WORDS),
    (word_count, 1000, WORDS), (word_count_if, 1000, WORDS), (rows, 500, ROWS), (pairs, 1000, PAIRS), (nested, 1000, NESTED),
    (heap, 500, None), (write, 1000, OUT), (append, 1000, WORDS), (split, 1000, WORDS), (lengths, 1000, WORDS),
    (compare, 1000, WORDS), (attribute, 300, POINTS), (attribute_set, 300, POINTS), (truth, 1000, NESTED), (texts, 1000, WORDS),
]


def main(names):
    print(f"{'':16}{'plain ns':>10}{'staged ns':>11}{'ratio':>8}")
    for function, n, argument in CASES:
        if names and function.__name__ not in names:
            continue
        staged = stage(function)
        took = {function: [], staged: []}
        for call in range(40):
            for way in (function, staged):
                begin = time.process_time()
                for _ in range(5):
                    way(n, argument)
                took[way].append((time.process_time() - begin) / (5 * n) * 1e9)
        plain, compiled = (statistics.median(times[15:]) for times in took.values())
        print(f"{function.__name__:16}{plain:10.1f}{compiled:11.1f}{compiled / plain:8.2f}")


main(sys.argv[1:])
