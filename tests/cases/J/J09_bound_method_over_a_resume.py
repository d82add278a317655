# J09: a bound method of an object made here is kept, or waits for its arguments, while the call is left.

from support import show

numbers = iter(range(10, 10**6))


class Point:
    def __init__(self, x):
        self.x = x

    def add(self, y):
        self.x += y
        return self


def append(x):
    l = [x]
    l.append(next(numbers))
    l.append(x)
    return l


def update(x):
    d = {"a": x}
    d.update(b=next(numbers))
    return d


def kept(x):
    l = [x]
    add = l.append
    if x > 0:
        add(1)
    next(numbers)
    add(2)
    return l, add.__self__ is l


def of_a_class(x):
    point = Point(x)
    return point.add(next(numbers)).x, point.x


def under_two_names(x):
    l = [x]
    d = {"l": l, "m": [l]}
    d["l"].append(next(numbers))
    d["m"][0].append(2)
    return d, d["l"] is l


show(append, 1, 0, 0.5)
show(update, 1, 0)
show(kept, 1, 0)
show(of_a_class, 1, 0.5)
show(under_two_names, 1, 0)
