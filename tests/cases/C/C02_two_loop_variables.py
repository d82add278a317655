# C02: two variables are carried round.
from support import show


def digits(n):
    s = 0
    i = 0
    while i < n:
        s = s * 10 + i
        i += 1
    return s, i, n


show(digits, 5, 1, 0, -1)
