# grad called by staged code, and by what is differentiated itself.
import math

from snekpy import grad, stage, value_and_grad
from support import rounded


def f(x):
    return (x - 2.0) * (x - 2.0) + math.sin(x)


@stage
def descend(x, n):
    for i in range(n):
        x = x - 0.1 * grad(f)(x)
    return x


@stage
def newton(x, n):
    for i in range(n):
        value, slope = value_and_grad(lambda y: y * y - x)(1.0 + i)
        x = x + 0.01 * value / slope
    return x


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


@stage
def of_recursion(x, n):
    return grad(power)(x, n) + x


def inner_step(w, x):
    # One step of training inside what is differentiated (MAML).
    w = w - 0.1 * grad(lambda v: (v * x - 1.0) * (v * x - 1.0))(w)
    return w


def outer_loss(w, x):
    w = inner_step(w, x)
    w = inner_step(w, x)
    return (w * x - 1.0) ** 2


@stage
def of_pairs(x, y):
    a, b = grad(lambda p: p[0] * p[0] * p[1])((x, y))
    return a + 10.0 * b


print(rounded([descend(x, 20) for x in (0.5, 3.0)]))
print(rounded([newton(2.0, n) for n in (0, 4)]))
print(rounded([of_recursion(1.3, n) for n in (0, 5)]))
print(rounded([grad(outer_loss)(0.3, x) for x in (0.5, 1.5)]))
print(rounded([of_pairs(x, 2.0) for x in (0.5, 1.5)]))
print(rounded(grad(lambda x: grad(f)(x) * x)(0.7)))
