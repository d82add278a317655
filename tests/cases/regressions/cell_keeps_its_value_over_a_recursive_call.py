# A variable that a nested function reads, assigned by a staged choice, then a recursive call. Found by
# the fuzzer.
from support import show


def down(n, k):
    if n <= 0:
        return 0
    return (down(n - 1, 2) - k) % 10007


def f(a, b):
    kept = a if b <= 0 else -a
    r = down(b, b)

    def inner():
        return kept

    return kept, r, inner()


show(f, (1, 3), (1, 0), (True, 5))
