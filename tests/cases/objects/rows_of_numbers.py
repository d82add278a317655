"""Numbers in attributes of objects in lists, which compiled code reads and writes itself: what the objects have behind each
call is what plain Python leaves, however the objects and their classes are made."""

from dataclasses import dataclass

from snekpy import stage


class Particle:
    mass = 2.0

    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.hits = 0
        self.alive = True

    def step(self, dt):
        self.x += self.v * dt
        if self.x > 3.0:
            self.v = -self.v
            self.hits += 1
        return self.hits


class Heavy(Particle):
    mass = 7.0

    def step(self, dt):
        self.x -= self.v * dt / self.mass
        self.alive = self.x > -2.0
        return 1


class Slots:
    __slots__ = ("x", "v", "hits", "alive", "__weakref__")

    def __init__(self, x, v):
        self.x, self.v, self.hits, self.alive = x, v, 0, True

    step = Particle.step


class Mixed(Slots):
    """Slots, and a dict for what has none."""

    def __init__(self, x, v):
        super().__init__(x, v)
        self.other = 1

    def step(self, dt):
        self.other += 2
        self.x += self.other
        return self.other


@dataclass
class Data:
    x: float
    v: float
    hits: int = 0
    alive: bool = True

    def step(self, dt):
        self.hits += 3
        self.x, self.v = self.v, self.x
        return self.hits


class Prop:
    def __init__(self, x, v):
        self._x, self.v, self.hits, self.alive = x, v, 0, True
        self.log = []

    @property
    def x(self):
        self.log.append("read")
        return self._x

    @x.setter
    def x(self, value):
        self.log.append("set")
        self._x = value

    step = Particle.step


class Setting:
    def __init__(self, x, v):
        self.__dict__.update(x=x, v=v, hits=0, alive=True)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value + 1 if name == "hits" else value)

    step = Particle.step


class Missing:
    def __init__(self, x, v):
        self.v, self.hits, self.alive = v, 0, True

    def __getattr__(self, name):
        return 0.25 if name == "x" else object.__getattribute__(self, name)

    step = Particle.step


CLASSES = [Particle, Heavy, Slots, Mixed, Data, Prop, Setting, Missing]


def shown(p):
    names = [n for n in ("x", "_x", "v", "hits", "alive", "other", "mass", "late", "log") if hasattr(p, n)]
    dict_ = list(vars(p)) if hasattr(p, "__dict__") else None
    return type(p).__name__, [(n, getattr(p, n)) for n in names], dict_


def run(f, make, *args, calls=5):
    """The same calls, plain and staged."""
    told = []
    for function in (f, stage(f)):
        told.append([])
        for call in range(calls):
            ps = make(call)
            try:
                result = function(ps, *args)
            except Exception as error:
                frames, at = [], error.__traceback__
                while at:
                    frames.append((at.tb_frame.f_code.co_name, at.tb_lineno))
                    at = at.tb_next
                result = type(error).__name__, str(error), [it for it in frames if it[0] not in ("run", "<module>")]
            told[-1].append(repr((result, [shown(p) for p in ps])))
    print(f.__name__, told[0] == told[1], len(told[0]))
    for a, b in zip(*told):
        if a != b:
            print("  plain ", str(a)[:1000])
            print("  staged", str(b)[:1000])
    print(" ", told[0][-1][:200])


def steps(ps, n):
    total = 0
    for _ in range(n):
        for p in ps:
            total += p.step(0.5)
    return total


def many(cls, count=40):
    return lambda call: [cls(float(i % 7), 1.0 + i * 0.25) for i in range(count + call)]


for cls in CLASSES:
    run(steps, many(cls), 6)
run(steps, lambda call: [CLASSES[i % len(CLASSES)](i * 0.5, 1.0) for i in range(40)], 5)
run(steps, lambda call: [CLASSES[i % 3](i * 0.5, 1.0) for i in range(40)], 5)


def twice(call):
    """The same object more than once."""
    ps = [Particle(i * 0.5, 1.0) for i in range(36)]
    return ps + ps[3:9] + [ps[0]] * 3


run(steps, twice, 4)


def pairs(ps, n):
    """Two names for what may be one object."""
    seen = 0
    for k in range(n):
        for i in range(len(ps) - 1):
            a, b = ps[i], ps[(i * k) % len(ps)]
            a.x += 1.0
            b.x -= 0.5
            a.hits, b.hits = b.hits + 1, a.hits
            if a is b:
                seen += 1
            b.v = a.x
            a.v += b.v
    return seen


run(pairs, twice, 3)
run(pairs, many(Slots), 3)


def changes_types(ps, n):
    """What an attribute is changes."""
    total = 0.0
    for k in range(n):
        for i, p in enumerate(ps):
            total += p.x
            if i == 20 and k == 1:
                p.x = 5
            if i == 21 and k == 1:
                p.x = True
            if i == 22 and k == 1:
                p.x = 2**70
            if i == 23 and k == 2:
                p.x = float("nan")
            if i == 24 and k == 2:
                p.x = -0.0
            p.x += 1
    return total == total, total


run(changes_types, many(Particle), 2)
run(changes_types, many(Particle), 4)
run(changes_types, many(Slots), 5)


def to_text(ps, n):
    total = 0.0
    for k in range(n):
        for i, p in enumerate(ps):
            total = total + p.x
            p.x = total
            if i == 30 and k == 1:
                p.x = "text"
    return total


run(to_text, many(Particle), 3)
run(to_text, many(Data), 3)


def to_none(ps, n):
    total = 0.0
    for k in range(n):
        for i, p in enumerate(ps):
            if p.x is not None:
                total += p.x
                p.x = total if (i + k) % 5 else None
            else:
                p.x = 1.0
    return total


run(to_none, many(Particle), 4)
run(to_none, many(Slots), 4)


def late(ps, n):
    """An attribute that objects get in the loop, in their order of names, beside one of the class."""
    total = 0.0
    for k in range(n):
        for p in ps:
            total += p.mass
            if k == 1:
                p.late = total
            if k == 2:
                p.mass = p.late + 1.0
            if k > 1:
                p.late += p.mass
    return total


run(late, many(Particle), 4)
run(late, many(Heavy), 4)
run(late, many(Data), 4)


def shadowed(ps, n):
    """A method of the class, until an object gets one of its own."""
    total = 0
    for k in range(n):
        for i, p in enumerate(ps):
            total += p.step(0.25)
            if k == 2 and i == 11:
                p.step = lambda dt: 1000
    return total


run(shadowed, many(Particle), 5)


def deleted(ps, n):
    total = 0.0
    for k in range(n):
        for i, p in enumerate(ps):
            p.x += 1.0
            if k == 2 and i == 33:
                del p.x
            total += p.v
    return total


run(deleted, many(Particle), 4)
run(deleted, many(Slots), 4)


def raises(ps, n):
    """What was written before stays."""
    try:
        for k in range(n):
            for i, p in enumerate(ps):
                p.x += 1.0
                p.hits += 1
                if k == 3 and i == 17:
                    p.v = 1 // (p.hits - 4)
    except ZeroDivisionError:
        ps[0].x = -100.0
        return sum(p.x for p in ps)
    finally:
        ps[1].hits = 77
    return 0


run(raises, many(Particle), 5)
run(raises, many(Slots), 5)


def raises_out(ps, n):
    for k in range(n):
        for i, p in enumerate(ps):
            p.x += 1.0
            p.hits = [7, 5, 3][k] + i
    return 0


run(raises_out, many(Particle), 5)


def overflows(ps, n):
    for k in range(n):
        for p in ps:
            p.hits = p.hits * 3 + 1
    return ps[0].hits


run(overflows, many(Particle), 60)
run(overflows, many(Slots), 60)


def of_class(ps, n):
    """What the class has is changed by native code."""
    total = 0.0
    for k in range(n):
        for p in ps:
            total += p.mass + p.x
            p.x = total
        if k == 1:
            setattr(Particle, "mass", 3.5)
        if k == 3:
            Particle.mass = 2.0
    return total


run(of_class, many(Particle), 5)


def filtered(ps, n):
    total = 0.0
    for k in range(n):
        for p in ps:
            p.x += p.v
            p.hits += 1
        ps = [p for p in ps if p.x < 30.0]
        for p in ps:
            total += p.x
    return total, len(ps)


run(filtered, many(Particle), 9)
run(filtered, many(Data), 9)


def sifted(ps, n):
    """Objects change their places."""
    heap = []
    for p in ps:
        heap.append(p)
        i = len(heap) - 1
        while i > 0 and heap[i].x < heap[(i - 1) // 2].x:
            heap[i], heap[(i - 1) // 2] = heap[(i - 1) // 2], heap[i]
            i = (i - 1) // 2
            heap[i].hits += 1
    out = []
    while len(heap) > n:
        p = heap.pop()
        p.x += 1.0
        out.append(p.x + p.hits)
    return out


run(sifted, many(Particle), 3)
run(sifted, many(Slots), 3)
