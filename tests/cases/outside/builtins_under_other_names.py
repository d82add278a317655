# A builtin is known by what it is. A program may bind its name to another one, or to a function of its own, and what
# compiled code does in its place asks nothing of `builtins` either.
import builtins

from snekpy import stage

real = {name: getattr(builtins, name) for name in ("abs", "len", "sum", "max", "min", "bool", "sorted", "reversed")}


class Box:
    def __init__(self, n):
        self.n = n

    def __abs__(self):
        return 5

    def __len__(self):
        return 7


def largest(x, n):
    grown = []
    for i in range(n):
        grown.append(x + i)
    return max(grown)


def size(box, x):
    return abs(box) + x


def ordered(x, n):
    grown = []
    for i in range(n):
        grown.append(x - i)
    return [item for item in reversed(sorted(grown))], grown[1:3], (x - 1) in grown


def own(x):
    return len([x, x]) + abs(x)


def bound(name, value, calls):
    setattr(builtins, name, value)
    try:
        for function, args in calls:
            try:
                print(name, function.__name__, function(*args), stage(function)(*args))
            except TypeError as error:
                print(name, function.__name__, "TypeError", error)
    finally:
        setattr(builtins, name, real[name])


bound("sum", real["max"], [(largest, (1.0, 4)), (largest, (1, 4))])
bound("len", real["abs"], [(size, (Box(1), 1)), (size, (Box(1), 1.5))])
bound("min", real["max"], [(largest, (1.0, 4))])
bound("abs", lambda x: 100, [(size, (Box(1), 2))])
bound("len", lambda x: 100, [(own, (-3,)), (own, (2.5,)), (ordered, (3.5, 4))])
bound("bool", lambda x: False, [(ordered, (3, 5))])
bound("reversed", lambda items: items, [(ordered, (3, 4))])
