#@ coverage varies: signals come at any time
# What a handler raises while a first call is captured is raised, whatever native code the capture calls.
import signal

from snekpy import stage


class Interrupted(Exception):
    pass


def handler(signum, frame):
    raise Interrupted


class Made:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        return self.n < other.n


def by_sorted():
    n = 0
    while True:
        n = sorted((n, 3, 1))[1] + 1


def by_objects():
    n = 0
    while True:
        n = min(sorted([Made(n), Made(3), Made(1)])).n + 1


def by_sum():
    n = 0
    while True:
        n = sum((n, 1)) % 100


def by_text():
    n = 0
    while True:
        n = len(", ".join(map(str, (n, 3)))) + max(n % 3, 1)


signal.signal(signal.SIGALRM, handler)
for function in by_sorted, by_objects, by_sum, by_text:
    for milliseconds in 0.5, 1, 2, 4, 8, 16:
        staged = stage(lambda: function())
        try:
            signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)
            staged()
        except Interrupted:
            print(function.__name__, milliseconds)
