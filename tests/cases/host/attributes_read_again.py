"""Attributes of objects that code only hands on, read again behind what may have changed them, and by other names."""

import math

from snekpy import stage


class Point:
    kind = 3

    def __init__(self, x, y):
        self.x, self.y = x, y

    def move(self, by):
        self.x += by
        if self.x > 5 or self.x < -5:
            self.x = -self.x
        return self.x + self.x * self.y


class Slots:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def move(self, by):
        self.x, self.y = self.y, self.x
        return self.x - by + self.x


class Counted:
    """What it gives depends on how often it was asked."""

    def __init__(self, x, y):
        self._x, self.y, self.asked = x, y, 0

    @property
    def x(self):
        self.asked += 1
        return self._x + self.asked

    @x.setter
    def x(self, value):
        self._x = value * 2

    def move(self, by):
        self.x += by
        return self.x + self.x


class Hooked:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return found + 1 if name == "x" else found

    def move(self, by):
        self.x = by
        return self.x + self.x


class Setting:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2 if isinstance(value, int) else value)

    def move(self, by):
        total = self.x
        self.x = by
        return total + self.x


def moved(points, n):
    total = 0
    for _ in range(n):
        for p in points:
            total += p.move(2)
    return total


def aliases(points, n):
    found = []
    for a in points:
        for b in points[:2]:
            before = a.x + b.x
            b.x = before + n
            a.y = a.x + b.x
            b.y += a.y
            found.append((a.x, b.x, a.y, b.y))
    return found


def kinds(points, n):
    found = []
    for p in points:
        first = p.x
        p.x = first + 0.5
        second = p.x
        p.x = n > 2
        third = p.x
        p.x = "text"
        fourth = p.x
        p.x = None
        fifth = p.x
        p.x = first
        found.append((first, second, third, fourth, fifth, p.x, p.x is None, type(p.x)))
    return found


def classes(points, n):
    found = []
    for p in points:
        found.append(p.kind)
        p.kind = n
        found.append(p.kind + p.kind)
        del p.kind
        found.append(p.kind)
    return found


def dicts(points, n):
    found = []
    for p in points:
        before = p.x
        p.__dict__["x"] = before + n
        found.append((before, p.x))
        vars(p).update(x=before - n)
        found.append(p.x)
        setattr(p, "x", before)
        found.append(p.x + getattr(p, "x"))
    return found


def errors(points, n):
    found = []
    for p in points:
        try:
            found.append(p.x)
            p.x = p.x // n
            found.append(p.x)
            p.x += [1, 2][p.x]
        except (ZeroDivisionError, IndexError) as error:
            found.append(type(error).__name__)
        found.append(p.x)
    return found


def calls(points, n):
    found = []
    for p in points:
        before = p.x
        points[0].x = math.floor(p.x + n)
        points.append(points.pop())
        found.append((before, p.x, len(points)))
    return found


def depth(p, n):
    if n == 0:
        return p.x
    p.x += 1
    return p.x + depth(p, n - 1) + p.x


def recursive(points, n):
    return [depth(p, n) + p.x for p in points]


def branches(points, n):
    total = 0
    for p in points:
        x = p.x
        if p.y > n:
            p.x = x + 1
        elif p.y < 0:
            p.y = p.x
        total = total * 3 + p.x * p.x + p.y
    return total


def show(points):
    return [(getattr(p, "_x", None) or vars(p).get("x"), p.y) if hasattr(p, "__dict__") else (p.x, p.y) for p in points]


for function in moved, aliases, branches, errors, calls, recursive, kinds, classes, dicts:
    for made in Point, Slots, Counted, Hooked, Setting:
        if function in (classes, dicts) and made is not Point:
            continue
        staged = stage(function)
        for n in (3, 0, 1, 2, 3):
            points = [made(i * 2 - 3, i) for i in range(20 + n)]
            try:
                result = staged(points, n)
            except (TypeError, AttributeError) as error:
                result = str(error)
            print(function.__name__, made.__name__, result, show(points)[:4])
