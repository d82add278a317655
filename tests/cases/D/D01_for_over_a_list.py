# D01: for over a list of staged numbers.
from support import show


def digits(l):
    s = 0
    for i in l:
        s = s * 10 + i
    return s


show(digits, [], [1], [1, 2], [3, 2, 1], [1.5, 2])
