# E07: the `else` of a `for` runs when there was no `break`.
from support import show


def f(n, t):
    s = 0
    for i in range(n):
        if i == t:
            break
        s += i
    else:
        s = -s
    return s


def prime(n):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        return True
    return False


show(f, (5, 3), (5, 9), (0, 0), (1, 0))
show(prime, 7, 9, 2, 25)
