# Derivatives that staged code calls: with loops, recursion, of higher order, in loops; the bits of those that are called
# plainly.
#@ reference snekpy: differences do not have so many digits
import math

import snekpy.numpy as np
from snekpy import (grad, hessian, jacfwd, jacrev, jvp, linearize, stage, value_and_grad, vjp)

strict = stage(strict=True)


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def halved(x):
    while x > 1.0:
        x = math.sin(x) * x / 2.0
    return x


def product(x, n):
    y = 1.0
    for i in range(n):
        y = y * math.sin(x + i)
        if y * y < 1e-3:
            return y * 7.0
    return y


def pair(x, y):
    return x * y, math.sin(x)


def recurrent(w, x, n):
    h = np.zeros(2)
    for i in range(n):
        h = np.tanh(w @ h + x)
    return h.sum()


def of_recursion(x, n):
    return grad(power)(x, n) + x


def of_loop(x):
    return grad(halved)(x) + 1.0


def in_loop(x, n):
    for i in range(n):
        x = x - 0.1 * grad(product)(x, i)
    return x


def of_arrays(w, x, n):
    for i in range(n):
        w = w - 0.1 * grad(recurrent)(w, x, 3 + i)
    return w


def jacobians(x, y):
    return jacrev(pair, argnums=(0, 1))(x, y), jacfwd(pair, argnums=(0, 1))(x, y), jacrev(lambda x: (x, (1.0, x * x)))(x)


def hessians(x):
    return hessian(lambda v: v[0] * v[0] * math.sin(v[1]))((x, 2.0))


def pulled(x, y):
    value, pull = vjp(pair, x, y)
    return value, pull((1.0, 10.0)), pull((y, x))


def pushed(x, y):
    value, push = linearize(pair, x, y)
    return value, push(1.0, 2.0), jvp(pair, (x, y), (1.0, 2.0))


def along_loop(x, n):
    return jvp(lambda t: product(t, n), (x,), (1.0,))


def second(x, n):
    return grad(grad(lambda t: t * t * math.sin(t)))(x), grad(lambda t: grad(lambda u: u * u * u * t)(t))(x), grad(grad(product))(x, n)


def summed(x, n):
    total = 0.0
    for i in range(n):
        value, slope = value_and_grad(product)(x, n)
        total += value * slope
    return total


def handled(x, n):
    try:
        return grad(product)(x, n) / (n - 3)
    except ZeroDivisionError:
        return -1.0


A, X = np.array([[0.5, 0.2], [0.1, 0.3]]), np.array([0.3, -0.4])
for f, args in [
    (of_recursion, (1.3, 5)), (of_loop, (3.5,)), (in_loop, (0.7, 5)), (of_arrays, (A, X, 3)), (jacobians, (0.5, 2.0)),
    (hessians, (0.5,)), (pulled, (0.5, 2.0)), (pushed, (0.5, 2.0)), (along_loop, (0.5, 4)), (second, (0.5, 4)),
    (summed, (0.5, 4)), (handled, (0.5, 4)), (handled, (0.5, 3)),
]:
    print(f.__name__, repr(strict(f)(*args)) == repr(f(*args)))


# The same inside what is differentiated.
def outer(x):
    value, pull = vjp(pair, x, 2.0)
    (a,), b = hessian(lambda v: v[0] ** 3 * x)((x,))[0], jacfwd(pair)(x, x)
    return pull((1.0, value[1]))[0] + a + b[0] * b[1]


def near(f, x):
    return abs((f(x + 1e-6) - f(x - 1e-6)) / 2e-6 - grad(f)(x)) < 1e-7


print("differentiated again", near(outer, 0.7), near(lambda x: grad(product)(x, 5) ** 2, 0.4))
print("the same object", grad(power) is grad(power), grad(power) is grad(power, argnums=(0,)))
