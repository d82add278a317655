from dataclasses import dataclass, field
from math import pi, hypot
from enum import Enum


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


@dataclass
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)

    def dist(self, other):
        return hypot(self.x - other.x, self.y - other.y)


@dataclass
class Circle:
    center: Point
    r: float
    color: Color = Color.RED

    def area(self):
        return pi * self.r**2


@dataclass
class Poly:
    points: list = field(default_factory=list)
    color: Color = Color.GREEN

    def area(self):
        s = 0.0
        n = len(self.points)
        for i in range(n):
            p, q = self.points[i], self.points[(i + 1) % n]
            s += p.x * q.y - q.x * p.y
        return abs(s) / 2


def total_area(shapes):
    out = {}
    for s in shapes:
        out[s.color] = out.get(s.color, 0.0) + s.area()
    return sorted((c.name, a) for c, a in out.items())


def centroid(points):
    acc = Point(0.0, 0.0)
    for p in points:
        acc = acc + p
    return Point(acc.x / len(points), acc.y / len(points))


def closest(points):
    best = None
    for i, p in enumerate(points):
        for q in points[i + 1 :]:
            d = p.dist(q)
            if best is None or d < best[0]:
                best = (d, p, q)
    return best


def points(n):
    out = []
    x = 7
    for _ in range(n):
        x = (x * 1103515245 + 12345) % 2**31
        a = x % 1000 / 10
        x = (x * 1103515245 + 12345) % 2**31
        out.append(Point(a, x % 1000 / 10))
    return out


def bench():
    ps = points(60)
    shapes = [Circle(p, p.x / 10, Color.BLUE if i % 3 else Color.RED) for i, p in enumerate(ps)]
    shapes += [Poly(ps[i : i + 5]) for i in range(0, 55, 5)]
    return total_area(shapes)


def bench_centroid():
    return centroid(points(400))


def bench_closest():
    return closest(points(60))
