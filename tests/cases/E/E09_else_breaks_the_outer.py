# E09: the `else` of the inner loop decides about the outer one.
from support import show


def f(n, t):
    found = 0
    for i in range(1, n):
        for j in range(1, n):
            if i * j == t:
                break
        else:
            break
        found = found * 10 + j
    else:
        found = -found
    return found


def g(n, t):
    pair = (0, 0)
    for i in range(1, n):
        for j in range(1, n):
            if i * j == t:
                pair = (i, j)
                break
        else:
            continue
        break
    return pair


show(f, (5, 12), (5, 4), (3, 2), (1, 1), (3, 0))
show(g, (5, 12), (5, 11), (5, 1), (1, 1))
