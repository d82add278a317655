# E01: continue in `for` and in `while`.
from support import show


def evens(n):
    s = 0
    for i in range(n):
        if i % 2 == 1:
            continue
        s = s * 10 + i
    return s


def odds(n):
    s = 0
    while n > 0:
        n -= 1
        if n % 2 == 0:
            continue
        s = s * 10 + n
    return s


show(evens, 7, 1, 0)
show(odds, 7, 1, 0)
