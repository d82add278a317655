# Continuations and grad: the example by reset and shift gives the numbers that grad gives, to the last digits.
#@ reference snekpy: differences do not have so many digits
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples"))
import lantern_ad
from snekpy import grad


def polynomial(x):
    return 2.0 * x + x * x * x


def branching(x):
    return x * x * x if x > 1.0 else 3.0 * x - 1.0


def powers(x):
    total, power = 0.0 * x, x
    for _ in range(4):
        total = total + power
        power = power * x
    return total


def squash(x):
    temp = x
    while temp > 1.0:
        temp = 0.5 * temp
    return temp


def recurrent(x):
    y = x
    for _ in range(3):
        y = math.tanh(0.5 * y + x)
    return y


for f in polynomial, branching, powers, squash, recurrent:
    by_continuations = lantern_ad.grad(getattr(lantern_ad, f.__name__))
    for x in 0.5, 1.5:
        a, b = by_continuations(x), grad(f)(x)
        print(f.__name__, x, abs(a - b) <= 1e-15 * abs(a))
