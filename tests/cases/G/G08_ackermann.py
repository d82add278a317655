# G08: recursion whose argument is a recursive call.
from support import show


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def hanoi(n, a, b, c):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + a * 100 + c + hanoi(n - 1, b, a, c)


show(ackermann, (2, 3), (0, 0), (1, 5), (2, 0))
show(hanoi, (3, 1, 2, 3), (0, 1, 2, 3), (6, 1, 2, 3))
