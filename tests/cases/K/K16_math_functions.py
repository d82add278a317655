# K: the module math, bit for bit.
import math

from support import show


def f(x):
    return math.sqrt(x), math.exp(x), math.log(x), math.sin(x), math.cos(x), math.tan(x)


def g(x):
    return math.fabs(x), math.atan(x), math.sinh(x), math.tanh(x), math.isnan(x), math.isinf(x)


def h(x, y):
    return math.atan2(x, y), math.hypot(x, y), math.pow(x, y), math.fmod(x, y), math.copysign(x, y)


def constants(x):
    return x * math.pi + math.e, x < math.inf


show(f, 0.5, 2, 1e-3, 3.75, True)
show(g, 0.5, -2, 0, float("inf"))
show(h, (0.5, 2.0), (3, 4), (2.5, -1.25))
show(constants, 2, 0.5)
