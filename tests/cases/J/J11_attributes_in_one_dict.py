# J11: objects whose attributes are one dict, and dicts that are read as a whole and as variables.
from snekpy import stage


class Borg:
    shared = {"x": 0}

    def __init__(self):
        self.__dict__ = Borg.shared


class Plain:
    def __init__(self, x):
        self.x = x


@stage
def both(a, b):
    a.x += 1
    b.x += 10
    return a.x, b.x


@stage
def beside(p, d):
    d["x"] += 1
    p.x += 10
    return p.x, d["x"]


@stage
def beside_the_class(p):
    p.x += 1
    return p.x, Borg.shared["x"]


B = Borg()


@stage
def beside_the_global(p):
    p.x += 1
    B.x += 10
    return p.x, B.x, p is B


for i in range(5):
    print(beside_the_global(Borg()), beside_the_global(Plain(i)))
for i in range(3):
    print(both(Borg(), Borg()), both(Plain(i), Plain(1)))
    p = Plain(i)
    print(beside(p, vars(p)), beside(p, {"x": 5}), beside_the_class(Borg()))

NAMES = globals()
o = Plain(0)
ATTRIBUTES = o.__dict__
g = 0


@stage
def seen(v):
    global g
    g = v
    o.x = v
    return NAMES["g"], ATTRIBUTES["x"], g, o.x, {**ATTRIBUTES}, list(ATTRIBUTES.values())


@stage
def read_first(v):
    before = ATTRIBUTES.get("x")
    o.x = v
    return before, ATTRIBUTES["x"], o.x


for v in (1, 2, 2.5):
    print(seen(v), read_first(v + 1))
