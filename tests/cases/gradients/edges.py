# What is computed where a derivative is 0 times infinity, at ties, and of powers: the same backwards and forwards, staged and
# not. A row is a function, a point, and the derivative; the table is in guide 13.
#@ reference snekpy: differences know nothing there
import math

import snekpy.numpy as np
from snekpy import grad, hessian, jvp, stage

ROWS = [
    ("abs at 0", lambda x: abs(x), 0.0),
    ("x ** y by y at 2", lambda y: 3.0**y, 2.0),
    ("x ** y by y at 0.5", lambda y: 3.0**y, 0.5),
    ("x ** y by x at y = 0", lambda x: x**0.0, 0.0),
    ("1 / x that is not used", lambda x: np.where(x == 0.0, 0.0, 1.0 / np.where(x == 0.0, x, x)).sum(), 0.0),
    ("log that is not used", lambda x: np.where(np.array(x) > 0.0, np.log(np.array(x) * np.ones(1)), 0.0).sum(), 0.0),
    ("sinc at 0", lambda x: np.sinc(x * np.ones(1)).sum(), 0.0),
]


def power(x, y):
    return x**y


def same(x, y):
    return x == y or x != x and y != y


for name, f, x in ROWS:
    backwards, forwards, staged = float(grad(f)(x)), float(jvp(f, (x,), (1.0,))[1]), float(stage(lambda x: grad(f)(x))(x))
    print(name, round(backwards + 0.0, 12), same(backwards, forwards), same(backwards, staged))
for y in (2.0, 0.5, 3.0):
    ways = grad(power, argnums=1)(3.0, y), jvp(lambda v: power(3.0, v), (y,), (1.0,))[1]
    print("by the exponent", y, [round(it - 3.0**y * math.log(3.0), 9) + 0.0 for it in ways])
    print("by the base", y, round(grad(power)(3.0, y) - y * 3.0 ** (y - 1.0), 9) + 0.0)
print("twice", grad(grad(power, 0), 1)(2.0, 0.0), grad(grad(power, 1), 0)(2.0, 0.0))
print("twice by the base", grad(grad(power))(-2.0, 3.0), grad(grad(power))(0.0, 2.0))
print("twice by both", hessian(lambda v: v[0] ** v[1])([2.0, 0.0]))
print("through nothing", grad(grad(lambda x, y: y * math.sqrt(x)), 1)(4.0, 0.0))
print("sinc twice", np.round(hessian(lambda x: np.sinc(x).sum())(np.zeros(1)), 9))
nan = float("nan")
print("nanvar", np.round(grad(lambda x: np.nanvar(x))(np.array([1.0, nan, 2.0, 3.0])), 9) + 0.0)
print("nanstd", np.round(grad(lambda x: np.nanstd(x))(np.array([1.0, nan, 2.0, 3.0])), 9) + 0.0)
