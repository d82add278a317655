"""How much faster staged functions are than plain ones, in everyday programs: `snekpy benches/everyday.py`.

Prints the table of the README: process time, the best of some rounds after the first call, and what the first call
took beyond that. Programs that do not pay are in it on purpose.
"""

import time
from array import array
from itertools import count

from snekpy import stage


def collatz(limit):
    best = longest = 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > longest:
            best, longest = start, steps
    return best


def sieve(limit):
    composite = [False] * limit
    count = 0
    for n in range(2, limit):
        if not composite[n]:
            count += 1
            for multiple in range(n * n, limit, n):
                composite[multiple] = True
    return count


def multiply(a, b, c, n):
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i * n + k] * b[k * n + j]
            c[i * n + j] = s
    return c[n]


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def bubblesort(values):
    for end in range(len(values) - 1, 0, -1):
        for i in range(end):
            if values[i] > values[i + 1]:
                values[i], values[i + 1] = values[i + 1], values[i]
    return values[0]


def histogram(n):
    counts = {}
    x = 1
    for _ in range(n):
        x = x * 1103515245 % 2147483648
        counts[x % 97] = counts.get(x % 97, 0) + 1
    return len(counts)


def words(line):
    counts = {}
    for word in line.split():
        counts[word] = counts.get(word, 0) + 1
    return len(counts)


def rows(n):
    table = []
    for i in range(n):
        table.append([i, i * i])
    return len(table)


def caesar(line):
    out = []
    for letter in line:
        out.append(chr((ord(letter) - 97 + 3) % 26 + 97))
    return "".join(out)


TURNS = count()


def text(word, times):
    """Another text in each call: one that is known would be counted when the code is made."""
    return f"{word}{next(TURNS)} " * times


def numbers(n):
    return array("d", [(i * 7919 % 1009) / 1009 for i in range(n)])


PROGRAMS = [
    ("Collatz, ints", collatz, lambda: (3000,)),
    ("sieve, a list of bools", sieve, lambda: (60000,)),
    ("matrices in arrays", multiply, lambda: (numbers(1600), numbers(1600), numbers(1600), 40)),
    ("`fib`, recursion", fib, lambda: (20,)),
    ("bubble sort of a list", bubblesort, lambda: ([i * 7919 % 1009 for i in range(300)],)),
    ("histogram, a dict of ints", histogram, lambda: (20000,)),
    ("a list of lists that grows", rows, lambda: (5000,)),
    ("counting words", words, lambda: (text("the quick brown fox jumps over the lazy dog", 200),)),
    ("letters of a text", caesar, lambda: (text("abcdefghijklmnopqrstuvwxyz", 40),)),
]
ROUNDS = 7


def took(function, arguments):
    arguments = arguments()
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def main():
    print("| program | plain, ms | staged, ms | times as fast | first call, ms more |")
    print("|---|---|---|---|---|")
    for name, function, arguments in PROGRAMS:
        staged = stage(function)
        first = took(staged, arguments)
        rounds = [(took(function, arguments), took(staged, arguments)) for _ in range(ROUNDS)]
        plain, compiled = (min(column) for column in zip(*rounds))
        print(
            f"| {name} | {plain * 1e3:.2f} | {compiled * 1e3:.2f} | {plain / max(compiled, 1e-6):.3g} "
            f"| {max(first - compiled, 0) * 1e3:.0f} |"
        )


main()
