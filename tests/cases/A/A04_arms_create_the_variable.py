# A04: a variable that exists only because both arms create it.
from support import show


def create(c):
    if c:
        i = 1
    else:
        i = 2
    return i


show(create, True, False)
