#@ coverage varies: signals come at any time
# While a call is captured, handlers of signals and other threads see the world as it is, and what they do stays.
import signal
import threading

from snekpy import stage

G = 0
L = [0]
D = {}
seen = set()
calls = []


class O:
    x = 0


o = O()
o.x = 0


def look():
    for value in (G, L[0], L[-1], o.x, *list(D)[:1], *list(D.values())[:1]):
        if type(value) not in (int, str):
            seen.add(type(value).__name__)


def handler(number, frame):
    calls.append(1)
    look()
    # Before the end: what `f` appends and pops may be interrupted between the two, in plain Python as well.
    L.insert(1, "signal")


SOURCE = (
    "def f(n):\n    global G\n    G = n\n    L.append(n)\n    L.pop()\n    L[0] = n\n    D[n] = 1\n    o.x = n\n    t = n\n"
    + "".join(f"    t = t * {k} + n\n    if t > {k}: t -= n\n" for k in range(200))
    + "    return t\n"
)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
for _ in range(4):
    exec(SOURCE)
    stage(f)(5)
    D.clear()
signal.setitimer(signal.ITIMER_REAL, 0)
print("lost", len(calls) - L.count("signal"))

stop = threading.Event()


def watch():
    while not stop.is_set():
        look()


watcher = threading.Thread(target=watch)
watcher.start()
for _ in range(4):
    exec(SOURCE)
    stage(f)(5)
    D.clear()
stop.set()
watcher.join()
print("seen", sorted(seen), G, o.x, L[0])
