# Derivatives of derivatives: the same transform again.
import math

from snekpy import grad, hessian, jacfwd, jacrev
from support import rounded


def f(x):
    return x * x * math.sin(x)


def loop(x, n):
    y = x
    for i in range(n):
        y = math.sin(y) * x + 0.1 * y * y
        if y > 1.0:
            break
    return y


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def quadratic(v):
    return v[0] * v[0] * v[1] + math.exp(v[1] * v[2])


def pair(x, y):
    return (x * y, {"sum": x + y * y})


print(rounded([grad(grad(f))(x) for x in (0.5, 2.0)]))
print(rounded([grad(grad(loop))(x, 6) for x in (0.4, 1.1)]))
print(rounded([grad(grad(power))(1.2, n) for n in (0, 1, 6)]))
print(rounded(hessian(quadratic)([0.5, 1.5, -0.3])))
print(rounded(jacfwd(grad(quadratic))([0.5, 1.5, -0.3])))
print(rounded(jacrev(pair, argnums=(0, 1))(2.0, 3.0)))
print(rounded(jacfwd(pair, argnums=(0, 1))(2.0, 3.0)))
print(rounded(jacrev(jacfwd(pair))(2.0, 3.0)))
