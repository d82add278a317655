# Exceptions that the code handles are control flow; others leave the gradient as they leave the function.
import math

from snekpy import grad
from support import rounded


def guarded(x):
    try:
        if x > 2.0:
            raise ValueError(x * 3.0)
        return x * 0.5
    except ValueError as error:
        return error.args[0] * x


class Stopped(Exception):
    pass


def inside(x, n):
    if n == 0:
        raise Stopped
    return x * 2.0


def safe(x, n):
    try:
        return inside(x * x, n)
    except Stopped:
        return x * 5.0
    else:
        return 0.0


def looped(xs):
    total = 0.0
    for i in range(6):
        try:
            total = total + xs[i] * xs[i]
        except IndexError:
            total = total * 2.0
    return total


def cleaned(x):
    total = x
    try:
        total = total * x
        if total > 4.0:
            return total * x
    finally:
        total = total + 1.0
    return total


print(rounded([grad(guarded)(x) for x in (0.5, 1.5, 3.0)]))
print(rounded([grad(safe)(2.0, n) for n in (0, 1)]))
print(rounded(grad(looped)([1.0, 2.0, 3.0])))
print(rounded([grad(cleaned)(x) for x in (1.5, 3.0)]))
for call in (lambda: grad(lambda x: 1.0 / x)(0.0), lambda: grad(lambda x: math.log(x))(-1.0), lambda: grad(lambda x: {}["k"])(1.0)):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__)
