# C22: loops without a condition, static and staged, that something inside them ends.
from support import show


def spin(n):
    k = 0
    while True:
        k += 1
        if k > 100000:
            return n, k


def forever(x):
    while 1:
        while True:
            x -= 1
            if x % 5 == 0:
                break
        if x < 0:
            raise ValueError("below zero")
        if x % 3 == 0:
            return x


def nothing_happens(n):
    while True:
        if n:
            pass
        break
    return "left"


show(spin, 1, 0.5)
show(forever, 32, 21, 16, 8, 0)
show(nothing_happens, 0, 1)
