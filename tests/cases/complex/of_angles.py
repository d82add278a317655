# `cmath.exp` and `cmath.rect` of numbers that are known later, at the edges of what they take.
#@ reference snekpy: a float times a complex number keeps signs of zeros since Python 3.14
import cmath, math
from snekpy import stage
def e(z): return cmath.exp(z)
def r(a, b): return cmath.rect(a, b)
def both(x, y):
    z = complex(x, y)
    try:
        return cmath.exp(z), cmath.rect(x, y), cmath.exp(x), cmath.exp(1j * y), cmath.exp(z * 2j) * z
    except (ValueError, OverflowError) as error:
        return type(error).__name__, str(error)
def roots(n):
    return [cmath.exp(2j * math.pi * k / n) for k in range(n)], sum(cmath.rect(k, k / 7) for k in range(n))
def loops(n):
    z = 0j
    for k in range(n): z = cmath.exp(z) * 0.3 + k
    return z
e, r, both, roots, loops = map(stage, (e, r, both, roots, loops))
VALUES = [0.0, -0.0, 1.5, -2.25, 700.0, 708.2, 709.5, 800.0, -745.5, 1e300, math.inf, -math.inf, math.nan, 5e-324, 1e22]
for x in VALUES:
    for y in VALUES: print(x, y, both(x, y))
for n in 1, 2, 7, 33: print(roots(n))
for n in 0, 3, 6, 9:
    try: print(loops(n))
    except OverflowError as error: print(error)
for bad in "a", None, 2**70, True, 3, [1]:
    try: print(e(bad), both(bad, 2) if bad != "a" and bad is not None and bad != [1] else None)
    except (TypeError, OverflowError) as error: print(type(error).__name__)
print(r(2, 3), r(True, 2.5), r(2, 0), r(-0.0, -0.0))
