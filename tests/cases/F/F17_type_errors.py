# F17: operations that a number does not have.
from support import show


def attribute(x):
    if x > 0:
        return x.undefined
    return x


def add(x):
    if x > 0:
        return x + "s"
    return x


def call(x):
    return x(1)


def index(x):
    return x[0]


show(attribute, 0, 1, 1.5)
show(add, 0, 1, 1.5)
show(call, 1, 0.5)
show(index, 1)
