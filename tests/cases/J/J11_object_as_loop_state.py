# J11: the state of a loop is an object that each iteration replaces.
from support import show


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def moved(self, by):
        return Point(self.x + by, self.y * 2)

    def itself(self):
        self.x += 1
        return self


class Even:
    def __init__(self, n):
        self.n = n

    def next(self):
        return Odd(self.n // 2)


class Odd:
    def __init__(self, n):
        self.n = n

    def next(self):
        return Even(self.n - 1) if self.n % 2 == 0 else self


def replaced(n, by):
    point = Point(0, 1)
    while point.x < n:
        point = point.moved(by)
    return point.x, point.y


def replaced_or_kept(n):
    first = point = Point(0, 1)
    for i in range(n):
        if i % 2:
            point = point.moved(i)
        else:
            point = point.itself()
    return first is point, first.x, point.x, point.y


def another_class(n):
    state = Even(n)
    while True:
        following = state.next()
        if following is state:
            break
        state = following
    return type(state).__name__, state.n


def none_at_the_end(n):
    point = Point(n, 1)
    seen = 0
    while point is not None:
        seen += 1
        point = point.moved(-1) if point.x > 0 else None
    return seen


def two_swapped(n):
    a, b = Point(1, 2), Point(3, 4)
    for _ in range(n):
        a, b = b, a
        a.x += 10
    return a.x, b.x, a.y, b.y


show(replaced, (3, 1), (0, 1), (2, 0.5))
show(replaced_or_kept, 4, 1, 0)
show(another_class, 9, 2, 44)
show(none_at_the_end, 3, 0)
show(two_swapped, 0, 1, 4)
