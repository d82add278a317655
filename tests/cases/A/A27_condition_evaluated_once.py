# A27: a condition with an effect is evaluated exactly once, at every call.
from support import show


def noisy(x):
    print("  noisy", x)
    return x * 2


def f(x):
    if noisy(x) > 4:
        return "big"
    return "small"


show(f, 3, 1, 3)
