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
