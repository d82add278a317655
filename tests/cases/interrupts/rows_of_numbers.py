#@ coverage varies: signals come at any time
# Handlers of signals see what a loop has written to attributes of objects by then, and what they write is what the loop
# goes on with.
import signal

from snekpy import stage


class P:
    def __init__(self, x):
        self.x = x
        self.twice = 2 * x
        self.pushed = 0


class S:
    __slots__ = ("x", "twice", "pushed")
    __init__ = P.__init__


calls = []
wrong = []


def handler(number, frame):
    calls.append(1)
    for p in ps[:3]:
        # Between two assignments one may be ahead.
        if p.twice - 2 * p.x not in (0, 2, -2):
            wrong.append((p.x, p.twice))
    ps[0].pushed += 1


def work(ps, n):
    for _ in range(n):
        for p in ps:
            p.x += 1
            p.twice += 2
        ps[0].x += 0 * ps[0].pushed
    return ps[0].pushed


class Enough(Exception):
    pass


def raising(number, frame):
    raise Enough


signal.signal(signal.SIGALRM, handler)
for cls in (P, S):
    for function in (work, stage(work)):
        del calls[:]
        ps = [cls(i) for i in range(50)]
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
        while len(calls) < 5:
            function(ps, 400)
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(cls.__name__, wrong, ps[0].pushed == len(calls), all(p.twice == 2 * p.x for p in ps))
signal.signal(signal.SIGALRM, raising)
for cls in (P, S):
    for function in (work, stage(work)):
        for _ in range(4):
            ps = [cls(i) for i in range(50)]
            signal.setitimer(signal.ITIMER_REAL, 0.004)
            try:
                while True:
                    function(ps, 2000)
            except Enough:
                pass
            done = [p.x - i for i, p in enumerate(ps)]
            ahead = sum(p.twice != 2 * p.x for p in ps)
            print(cls.__name__, sorted(done, reverse=True) == done, done[0] - done[-1] in (0, 1), ahead <= 1)
