# A06: only the `then` arm creates the variable. Reading it on the other path is an UnboundLocalError.
from support import show


def create(c):
    if c:
        i = 1
    return i


show(create, True, False, True)
