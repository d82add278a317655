# K09: floats print as Python prints them.
from support import show


def f(x):
    print(" ", x, -x)
    return x


show(f, 1e16, 1e-5, 0.1, 1e22, 123456789.125, 1e15, 5e-324, 1.7976931348623157e308, 100.0)
show(f, float("inf"), float("nan"), -0.0)


def add(a, b):
    return a + b


show(add, (0.1, 0.2), (1e16, 1.0), (0.1, 0.7))
