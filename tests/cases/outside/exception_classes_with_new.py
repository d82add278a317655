# What an exception class does when it is made happens on the path that makes it, when it is made.
from snekpy import stage

log = []


class E(Exception):
    def __new__(cls, *args):
        log.append(args)
        return super().__new__(cls, *args)


class Other(Exception):
    def __new__(cls, n):
        if n > 10:
            return 5
        return super().__new__(cls, n)

    def __init__(self, n):
        self.n = n * 2


@stage
def f(x):
    if x > 5:
        raise E(x)
    return x


@stage
def g(x):
    try:
        if x > 5:
            raise E(x, 1)
    except E as e:
        return e.args
    return x


@stage
def h(n):
    e = Other(n)
    return e if isinstance(e, int) else (e.n, e.args)


for x in (1, 2, 7, 8):
    try:
        print(f(x))
    except E as e:
        print("E", e.args)
    print(g(x), log)
for n in (1, 20, 2):
    print(h(n))
