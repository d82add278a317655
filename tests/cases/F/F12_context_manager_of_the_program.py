# F12: a context manager of the program: the order of its calls, what it gets, and what it suppresses.
from support import show


class Log:
    def __init__(self, name, suppress=()):
        self.name = name
        self.suppress = suppress

    def __enter__(self):
        print("  enter", self.name)
        return self

    def __exit__(self, kind, error, trace):
        print("  exit", self.name, kind and kind.__name__)
        return kind is not None and issubclass(kind, self.suppress)


def two(x):
    with Log("a") as a, Log("b") as b:
        print("  inside", a.name, b.name)
        y = 10 // x
    return y


def suppressed(x):
    y = -1
    with Log("s", ZeroDivisionError) as log:
        y = 10 // x
        if y > 4:
            raise ValueError(log.name)
    return y


def inner_suppresses(x):
    with Log("outer"):
        with Log("inner", (ZeroDivisionError, KeyError)):
            if x < 0:
                raise KeyError(x)
            return 10 // x
        return "after"
    return "never"


def left_early(n):
    for i in range(n):
        with Log("loop"):
            if i == 1:
                continue
            if i == 3:
                break
            if n == 3:
                return i
    return n


show(two, 3, 0)
show(suppressed, 3, 0, 2)
show(inner_suppresses, 3, 0, -1)
show(left_early, 5, 3, 2, 0)
