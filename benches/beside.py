"""What `benches/beside` asks of two snekpy commands: the kernels of B1, and others whose cost is in how calls enter and
leave compiled code. For each name on a line of its input, runs it once and prints the milliseconds of process time.
"""

import json
import sys
import time

import b1
import latency

from snekpy import stage


@stage
def sieve(n):
    marks = [True] * (n + 1)
    marks[0] = marks[1] = False
    i = 2
    while i * i <= n:
        if marks[i]:
            for j in range(i * i, n + 1, i):
                marks[j] = False
        i += 1
    count = 0
    for mark in marks:
        if mark:
            count += 1
    return count


LIMIT = 7


@stage
def late_guard(n):
    """A loop in registers; what is asked behind it is a global, whose guard comes late."""
    a, b = 0, 1
    for i in range(n):
        a, b = b, (a + b * 3 + i) % 1000003
    return a % LIMIT


@stage
def one_operation(x):
    return x + 1.0


def calls(count):
    for _ in range(count):
        one_operation(0.5)


def capture(count):
    """Captures and compiles a function of thirty operations, ever new ones."""
    for _ in range(count):
        capture.made += 1
        stage(latency.make(latency.thirty(capture.made), {}))(0.5, 3)


capture.made = 0

CASES = dict(b1.CASES)
CASES |= {
    "sieve": lambda: sieve(3000000),
    "late guard": lambda: late_guard(10000000),
    "calls": lambda: calls(200000),
    "capture": lambda: capture(4),
}

for line in sys.stdin:
    start = time.process_time()
    CASES[line.strip()]()
    print(json.dumps((time.process_time() - start) * 1e3), flush=True)
