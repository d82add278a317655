# G03: a recursion whose base case always raises.
from support import show


def down(i, j):
    if i <= 0:
        return -0.0 / 0.0
    return down(i - 1, j // 7) + down(i - 2, j)


def around(i):
    if i > 3:
        return down(i, i)
    return 1


def even(n):
    return odd(n - 1) if n > 0 else 1 // (n * 0)


def odd(n):
    return even(n - 1) if n > 0 else [][n]


show(around, 1, 5, 4)
show(even, 4, 3, -1)
