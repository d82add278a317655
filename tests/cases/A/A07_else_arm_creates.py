# A07: only the `else` arm creates the variable.
from support import show


def create(c):
    if c:
        pass
    else:
        i = 2
    return i


show(create, True, False, True)
