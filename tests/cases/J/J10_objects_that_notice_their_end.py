# J10: `__del__` and weak references of objects made in the call.
import weakref

from support import show


class Noisy:
    def __init__(self, v):
        self.v = v

    def __del__(self):
        print("del", self.v)


class Quiet:
    pass


def replaced(x):
    d = Noisy(x)
    d = None
    print("after")
    return d


def in_a_loop(x):
    for i in range(3):
        d = Noisy(x + i)
    print("after")
    return d.v


def referred_to(x):
    w = Quiet()
    w.x = x
    r = weakref.ref(w)
    before = r() is w
    del w
    return before, r() is None


for f in (replaced, in_a_loop, referred_to):
    show(f, 1, 0.5)
