# Functions of `math` that are no operations of compiled code, once and twice, forwards and backwards, staged and not.
import math

from snekpy import grad, jvp, stage

fma = getattr(math, "fma", lambda x, y, z: x * y + z)  # since Python 3.13
FUNCTIONS = {
    "hypot": lambda x, y: math.hypot(x, y),
    "hypot of three": lambda x, y: math.hypot(x, y, x * y),
    "erf": lambda x, y: math.erf(x * y),
    "erfc": lambda x, y: math.erfc(x - y),
    "gamma": lambda x, y: math.gamma(x + y) + math.gamma(-x * 0.4),
    "lgamma": lambda x, y: math.lgamma(x + y) + math.lgamma(-x * 0.4),
    "radians": lambda x, y: math.radians(x * y),
    "degrees": lambda x, y: math.degrees(x * y),
    "pow": lambda x, y: math.pow(x, y) + math.pow(y, x - 3.0) + math.pow(x, 0.0),
    "log": lambda x, y: math.log(x + 1.0, y + 2.0) + math.log(x, 10),
    "fmod": lambda x, y: math.fmod(x * 7.0, y) * x,
    "remainder": lambda x, y: math.remainder(x * 7.0, y) * x,
    "fma": lambda x, y: fma(x, y, x * x),
    "ldexp": lambda x, y: math.ldexp(x * y, 3) + math.ldexp(x * y, -2),
    "round": lambda x, y: round(x, 2) * y,
    "a constant": lambda x, y: math.hypot(3.0, 4.0) * x + math.erf(0.5) * y,
}

LINEAR = "radians", "degrees", "round", "ldexp", "a constant"


def summed(x, n):
    total = 1.0
    for i in range(n):
        total = math.hypot(total, x * i) + math.erf(x - i)
        if total > 40.0:
            break
    return total


for name, f in FUNCTIONS.items():
    found = grad(f, argnums=(0, 1))(1.37, 0.58)
    assert found == stage(lambda x, y: grad(f, argnums=(0, 1))(x, y))(1.37, 0.58), name
    along = jvp(f, (1.37, 0.58), (1.0, 0.25))
    print(name, [round(it, 4) for it in found], [round(it, 4) for it in along])
    if name not in LINEAR:
        print("   ", round(grad(lambda x: grad(f)(x, 0.58))(1.37), 2))
for n in 3, 12:
    print(round(grad(summed)(2.5, n), 4))
