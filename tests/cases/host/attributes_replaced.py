# What is assigned to an attribute ends what was there: where the program notices that, it does so at once, also where the
# attribute was a number just before, under another name or in another object.
import weakref

from snekpy import stage

LOG = []


class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        LOG.append(self.name)


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


Slotted.z = Slotted.x


class Quiet:
    pass


def add(points, by):
    for p in points:
        p.x += by
        p.y += p.x
    return len(points), len(LOG)


def swap(points):
    for p in points:
        p.x, p.y = p.y, p.x
    return len(LOG)


def replace(points, values):
    k = 0
    for p, value in zip(points, values):
        k += p.y
        p.x = value
        k += len(LOG) * 10
    return k


def twice(points, value):
    k = 0
    for p in points:
        k += p.y
        p.y = value
        p.y = k
    return k, len(LOG)


def by_two_names(points, value):
    k = 0
    for p in points:
        k += p.x
        p.z = value
        p.x = k
        k += len(LOG)
    return k


def state(points):
    return [tuple(v if isinstance(v, (int, float)) else type(v).__name__ for v in (p.x, p.y)) for p in points]


for make in Point, Slotted:
    for f, args in (add, (1,)), (swap, ()), (twice, (2.5,)):
        staged = stage(f)
        for _ in range(3):
            LOG.clear()
            points = [make(k, k * 2) for k in range(6)]
            print(f.__name__, staged(points, *args), state(points), LOG)
    staged = stage(replace)
    for kind in int, float, Loud, Quiet, str, Loud:
        LOG.clear()
        points = [make(k, k * 2) for k in range(5)]
        for _ in range(3):
            print("replace", kind.__name__, staged(points, [kind(k) if kind in (int, float, Loud, str) else kind() for k in range(5)]), LOG)
        del points
        print(sorted(LOG))

# The dict of attributes is that of two objects.
one, other = Point(1, 2), Point(3, 4)
other.__dict__ = one.__dict__
staged = stage(add)
for _ in range(3):
    print(staged([one, other], 1), one.x, other.x, one.y, other.y)

staged = stage(by_two_names)
LOG.clear()
for value in 1, 2, Loud("a"), 3, Loud("b"), 4:
    points = [Slotted(k, k * 2) for k in range(4)]
    print(staged(points, value), state(points), LOG)
    del value
    print(LOG)

# A weak reference to what is replaced is dead behind it.
def asks(points, reference):
    k = 0
    for p in points:
        k += p.y
        p.x = k
        k += reference() is None
    return k


staged = stage(asks)
for _ in range(4):
    points = [Point(k, k) for k in range(4)]
    quiet = Quiet()
    points[2].x = quiet
    reference = weakref.ref(quiet)
    del quiet
    print(staged(points, reference), state(points))
