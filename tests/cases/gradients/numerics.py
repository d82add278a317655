# Where a derivative does not exist, or is infinite.
#@ reference snekpy: differences know nothing there
import math

from snekpy import grad, stop_gradient


def both(f, *args):
    return grad(f, argnums=tuple(range(len(args))))(*args)


print("abs", [grad(lambda x: abs(x))(x) for x in (-2.0, 0.0, 3.0)])
print("min", both(lambda x, y: min(x, y), 1.0, 1.0), both(lambda x, y: min(x, y), 2.0, 1.0))
print("max", both(lambda x, y: max(x, y), 1.0, 1.0), both(lambda x, y: max(x, y), 1.0, 2.0))
print("sqrt", grad(lambda x: math.sqrt(x))(0.0), grad(lambda x: math.sqrt(x) * 0.0)(0.0))
print("norm", both(lambda x, y: math.sqrt(x * x + y * y), 0.0, 0.0), both(lambda x, y: math.sqrt(x * x + y * y), 3.0, 4.0))
print("pow", grad(lambda x: x**2)(0.0), grad(lambda x: x**0)(0.0), grad(lambda x: x**0.5)(0.0), both(lambda x, y: x**y, 0.0, 2.0))
print("guard", grad(lambda x: math.log(x) if x > 0.0 else 0.0)(0.0), grad(lambda x: math.log(x) if x > 0.0 else 0.0)(2.0))


def unused_root(x, flag):
    root = math.sqrt(x)
    return root if flag else x


print("unused", grad(unused_root)(0.0, False), grad(unused_root)(0.0, True))
print("floor", grad(lambda x: x * math.floor(x) + x // 1.0)(2.5), grad(lambda x: x % 0.75)(2.5), both(lambda x, y: x % y, 2.5, 0.75))
print("stop", grad(lambda x: x * stop_gradient(x))(3.0), grad(lambda x: x * int(x))(2.5), grad(lambda x: stop_gradient(x))(2.0))
print("compared", grad(lambda x: 1.0 if x > 0.0 else 2.0)(1.0), grad(lambda x, y: y)(1.0, 2.0))
print("copysign", both(lambda x, y: math.copysign(x, y), -2.0, 3.0))


# What nothing depends on has no infinite slope, nor one that is no number: also where it has raised.
def handled(x, function):
    try:
        return function(x) * 0.5
    except (ValueError, OverflowError) as error:
        print(error)
        return 3.0 * x


print("log", grad(lambda x: handled(x, math.log))(0.0), grad(lambda x: handled(x, math.log))(2.0))
print("sqrt", grad(lambda x: handled(x, math.sqrt))(-1.0), grad(lambda x: handled(x, math.exp))(1000.0))
print("asin", grad(lambda x: handled(x, math.asin))(2.0), grad(lambda x: handled(x, math.sin))(math.inf))
print("int", grad(lambda x: handled(x, lambda x: x * int(x)))(math.inf), grad(lambda x: handled(x, lambda x: x**3))(1e200))

import snekpy.numpy as np

x = np.array([-1.0, 0.0, 4.0])
print("where", grad(lambda x: np.where(x > 0.0, np.sqrt(x), 0.0).sum())(x))
print("where", grad(lambda x: np.where(x > 0.0, np.log(x), x).sum())(x))
print("where", grad(lambda x: np.where(x > 0.0, x**0.5, 1.0).sum())(x))
print("norm", grad(np.linalg.norm)(np.zeros(2)), grad(np.linalg.norm)(np.array([3.0, 4.0])))
print("maximum", grad(lambda x: np.maximum(x, 0.0).sum())(x), grad(lambda x: x.max())(np.array([2.0, 2.0])))
print("det", grad(np.linalg.det)(np.array([[1.0, 2.0], [3.0, 4.0]])))
