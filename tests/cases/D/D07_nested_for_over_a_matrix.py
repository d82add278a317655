# D07: rows of different length.
from support import show


def f(m):
    s = 0
    for row in m:
        for v in row:
            s = s * 10 + v
    return s


show(f, [[1, 2], [3, 4]], [[1], [2, 3, 4], []], [[], []], [])
