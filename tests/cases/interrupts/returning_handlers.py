#@ coverage varies: signals come at any time
# A signal handler that returns, at random times: the loop sees what it has changed, and its result is exact.
import random
import signal

from snekpy import stage

stop = False
ticks = 0


def tick(number, frame):
    global ticks, stop
    ticks += 1
    stop = ticks % 3 == 0


signal.signal(signal.SIGVTALRM, tick)
times = random.Random(6)


@stage
def until_told(x):
    n = 0
    while not stop:
        n += 1
        x = x + 0.5
    return x - 0.5 * n == 1.0, n > 0


@stage
def counted(n):
    total = 0
    seen = ticks
    for i in range(n):
        total = total + i * (i % 3)
        if ticks != seen:
            seen = ticks
    return total, seen == ticks


def expected(n):
    return sum(i * (i % 3) for i in range(n))


ends = []
for _ in range(8):
    stop = False
    signal.setitimer(signal.ITIMER_VIRTUAL, times.uniform(0.001, 0.03), times.uniform(0.004, 0.02))
    ends.append(until_told(1.0))
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
print(set(ends), ticks >= 24)

right = expected(150_000)
totals = []
for _ in range(8):
    signal.setitimer(signal.ITIMER_VIRTUAL, times.uniform(0.0005, 0.01), 0.003)
    totals.append(counted(150_000)[0] == right)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
print(totals.count(True))
