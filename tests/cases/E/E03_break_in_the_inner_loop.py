# E03: break leaves the inner loop only.
from support import show


def f(n, t):
    s = 0
    for i in range(n):
        for j in range(n):
            if j > t:
                break
            s = s + i * 10 + j
    return s


def g(n):
    s = 0
    while n > 0:
        m = n
        while True:
            m -= 2
            if m < 0:
                break
            s += m
        n -= 1
    return s


show(f, (4, 1), (4, -1), (4, 9), (0, 1))
show(g, 5, 1, 0)
