# G31: arguments are evaluated from left to right.
from support import show


def note(v):
    print("  note", v)
    return v


def add(a, b, c):
    return a + b + c


def f(x):
    return add(note(x), note(x + 1), c=note(x + 2))


show(f, 1)
