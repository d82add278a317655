# G05: two functions that call each other.
from support import show


def even(n):
    if n == 0:
        return True
    return odd(n - 1)


def odd(n):
    if n == 0:
        return False
    return even(n - 1)


show(even, 10, 7, 0)
show(odd, 10, 7)
