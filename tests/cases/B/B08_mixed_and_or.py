# B08: `and` binds more tightly than `or`.
from support import show


def f(x, y, z):
    return x or y or z and y and z


show(f, (0, 0, 0), (0, 0, 7), (0, 3, 7), (2, 3, 7), (0, 0, -1))
