# J11: objects of one class as arguments: one compilation for all of them, and what is changed is changed.
from snekpy import stage


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def norm2(self):
        return self.x * self.x + self.y * self.y

    def move(self, by):
        self.x += by
        if self.x > 3:
            self.y = -self.y
        return self


class Segment:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.seen = []

    def __repr__(self):
        return f"{self.a.x} {self.a.y} {self.b.x} {self.b.y} {self.seen}"


@stage
def length(s):
    s.seen.append(s.a.x)
    dx = s.a.x - s.b.x
    dy = s.a.y - s.b.y
    return dx * dx + dy * dy


@stage
def moved(p, by):
    q = p.move(by)
    return q is p, q.norm2(), q


@stage
def swapped(s):
    s.a, s.b = s.b, s.a
    return s.a is s.b, s.a


for i in range(8):
    p = Point(i, i * 0.5)
    same, n, q = moved(p, 1)
    print(same, n, q is p, p.x, p.y)
    s = Segment(p, Point(i, 1))
    print(length(s), s)
    b = s.b
    one, a = swapped(s)
    print(one, a is b, s.a is b, s)

both = Point(1, 2)
twice = Segment(both, both)
print(length(twice), twice, swapped(twice)[0])
both.z = 5
print(length(twice), twice)


@stage
def kinds(p):
    return type(p) is Point, isinstance(p, Point), p == p, p != None, p in (p,), [p][0] is p


for i in range(4):
    print(kinds(Point(i, i)))


@stage
def with_the_global(p):
    p.x += 1
    return origin.x, p.x


origin = Point(0, 0)
print(with_the_global(Point(5, 5)), with_the_global(Point(6, 6)), with_the_global(origin), origin.x)
print(with_the_global(Point(7, 7)), with_the_global(origin), origin.x)


@stage
def adds_and_deletes(p, n):
    p.extra = n
    if n > 1:
        del p.x
    return sorted(vars(p).items())


for i in range(4):
    p = Point(i, 9)
    print(adds_and_deletes(p, i), vars(p))


@stage
def texts(p):
    return f"{p.x}/{p.y}", "%s" % p.x, hasattr(p, "x"), getattr(p, "y", 0)


for i in range(4):
    print(texts(Point(i, -i)))


@stage
def raises(p):
    p.x = 10
    return 1 // p.y


for y in (1, 2, 0):
    p = Point(1, y)
    try:
        print(raises(p))
    except ZeroDivisionError as error:
        print(type(error).__name__, p.x)


@stage
def total(points):
    t = 0
    for p in points:
        t += p.norm2()
    return t


print(total([Point(1, 2), Point(3, 4)]), total([Point(5, 6), Point(7, 8.5)]))
