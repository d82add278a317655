#@ coverage varies: signals come at any time
# Signals while a function is captured: their handlers change what the function reads and writes.
import signal
import time

from snekpy import stage

SOURCE = """
def bump(n):
    global BUMPED
    for _ in range(n):
        COUNT["main"] += 1
    LOG.append(n)
    SEEN.append(TOTAL)
    BUMPED = n
    return len(LOG)
"""
lost = []


def first_call(delay):
    """A function's first call, a signal after so long, and all that both have done.

    A handler runs between two instructions, so nothing is read and written by both.
    """
    world = {"COUNT": {"handler": 0, "main": 0}, "LOG": [], "SEEN": [], "TOTAL": 0, "BUMPED": 0}

    hits = []

    def on_signal(number, frame):
        hits.append(number)
        world["COUNT"]["handler"] += 1
        world["LOG"].append(-1)
        world["TOTAL"] += 1000

    exec(SOURCE, world)
    bump = stage(world["bump"])
    signal.signal(signal.SIGALRM, on_signal)
    signal.setitimer(signal.ITIMER_REAL, delay)
    given = bump(3)
    until = time.monotonic() + 0.5
    while not hits and time.monotonic() < until:
        time.sleep(0.0002)
    done = world["COUNT"], sorted(world["LOG"]), world["TOTAL"], world["BUMPED"], given in (1, 2)
    came_first = world["LOG"] == [-1, 3]
    if done != ({"handler": 1, "main": 3}, [-1, 3], 1000, 3, True) or world["SEEN"] not in ([1000], [1000 * came_first]):
        lost.append((delay, done, world["SEEN"]))


for k in range(120):
    first_call((k + 1) * 0.00004)
print(lost)
