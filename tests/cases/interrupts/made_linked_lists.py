#@ coverage varies: signals come at any time
# Handlers of signals see objects that a call has made, each the object that it goes on with; what they raise finds them
# as they are between two instructions.
import signal

from snekpy import stage


class Node:
    def __init__(self, v, nxt):
        self.v = v
        self.twice = 2 * v
        self.nxt = nxt


calls = []
wrong = []


def handler(number, frame):
    calls.append(1)
    while frame is not None and frame.f_code.co_name not in ("ring", "lists"):
        frame = frame.f_back
    p = frame and frame.f_locals.get("p")
    count = 0
    while p is not None and count < 50:
        # Between two assignments one may be ahead.
        if p.twice - 2 * p.v not in (0, 2, -2):
            wrong.append((p.v, p.twice))
        if count == 2:
            p.mark = len(calls)
        p = p.nxt
        count += 1


def ring(n, times):
    first = p = Node(0, None)
    for i in range(1, n):
        p.nxt = Node(i, None)
        p = p.nxt
    p.nxt = first
    for _ in range(times):
        p.v += 1
        p.twice += 2
        p = p.nxt
    return first


def lists(n, times):
    all = []
    p = None
    for i in range(n):
        p = Node(i, p)
        all.append(p)
    for k in range(times):
        for q in all:
            q.v += 1
            q.twice += 2
    return all[0]


class Enough(Exception):
    pass


def raising(number, frame):
    raise Enough


for function in (ring, stage(ring), lists, stage(lists)):
    signal.signal(signal.SIGALRM, handler)
    del calls[:]
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    while len(calls) < 5:
        first = function(40, 400)
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(wrong, first.twice == 2 * first.v, first.nxt is None)
    signal.signal(signal.SIGALRM, raising)
    times = 0
    for delay in (0.001, 0.003, 0.006):
        signal.setitimer(signal.ITIMER_REAL, delay)
        try:
            while True:
                function(40, 4000)
        except Enough:
            times += 1
    print(times)
