# Complex numbers of which a part is known later are two floats in compiled code.
import cmath

from snekpy import stage


def show(action, *args):
    try:
        result = action(*args)
    except Exception as error:
        line = error.__traceback__
        while line.tb_next is not None:
            line = line.tb_next
        print("raises", type(error).__name__, error, line.tb_lineno)
    else:
        print(type(result).__name__, result)


@stage
def escapes(x, y, limit):
    c, z = complex(x, y), 0j
    for i in range(limit):
        if abs(z) > 2:
            return i, z
        z = z * z + c
    return limit, z


for x, y in [(0.0, 0.0), (-2.0, 0.5), (0.3, 0.5), (-0.75, 0.1), (1e200, 1e200), (float("nan"), 1.0)]:
    print(escapes(x, y, 60))


@stage
def from_zero(x, y, n):
    # An int becomes a complex number in the loop.
    total = 0
    for i in range(n):
        total = total + complex(x, y * i)
    return total


print(from_zero(1.5, -0.25, 0), from_zero(1.5, -0.25, 1), from_zero(1.5, -0.25, 9))


@stage
def operators(x, y, u, v):
    a, b = complex(x, y), complex(u, v)
    results = [a + b, a - b, a * b, -a, a.conjugate(), a + x, x + a, a - x, x - a, a * x, x * a, a + 1, 2 - a, 3 * a]
    results += [a + 1j, 1j - a, 2j * a, a * True, x + 2j, 1j * y, y * 1j, x - 1j, 1 - a]
    return results, (a.real, b.imag), a == b, a != b, a == x, x == a, a != 1j, bool(a)


for args in [(1.0, 2.0, 3.0, -4.0), (0.0, -0.0, -0.0, 0.0), (1.5, 0.0, 1.5, 0.0), (0.0, 0.0, 1e308, 1e308)]:
    print(operators(*args))


@stage
def quotient(x, y, u, v):
    return complex(x, y) / complex(u, v)


@stage
def by_real(x, y, u):
    return complex(x, y) / u, u / complex(x, y)


inf, nan = float("inf"), float("nan")
for args in [
    (1.0, 2.0, 3.0, -4.0),
    (1.0, 2.0, -4.0, 3.0),
    (1.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, -0.0),
    (1.0, 2.0, 0.0, 5.0),
    (inf, 1.0, 1.0, 2.0),
    (1.0, 2.0, inf, nan),
    (1.0, 1.0, nan, 1.0),
    (1e308, 1e308, 1e-308, 1e-308),
]:
    show(quotient, *args)
for args in [(1.0, 2.0, 4.0), (1.0, 2.0, 0.0), (0.0, 0.0, 1.0), (inf, nan, 2.0), (-0.0, 2.0, -1.0)]:
    show(by_real, *args)


@stage
def product(x, y, u, v):
    return complex(x, y) * complex(u, v)


for args in [
    (inf, nan, 1.0, 1.0),
    (inf, inf, inf, -inf),
    (nan, 1.0, 2.0, 3.0),
    (1e308, 1e308, 1e308, 1e308),
    (inf, 0.0, 0.0, 0.0),
]:
    show(product, *args)


@stage
def powers(x, y):
    z = complex(x, y)
    return [z**0, z**1, z**2, z**3, z**7, z**-1, z**-2, z**2.0]


@stage
def other_powers(x, y):
    z = complex(x, y)
    return z**0.5, 2**z, z**z


for args in [(1.0, 2.0), (0.5, -0.25), (-1.0, 0.0), (0.0, 0.0), (1e200, 1.0), (inf, 1.0)]:
    show(powers, *args)
    show(other_powers, *args)


@stage
def size(x, y):
    return abs(complex(x, y))


for args in [(3.0, 4.0), (0.0, -0.0), (1e308, 1.7e308), (inf, nan), (nan, 1.0), (5e-324, 5e-324)]:
    show(size, *args)


@stage
def wrong(x, how):
    z = complex(x, 1)
    if how == 0:
        return z < 1j
    if how == 1:
        return z // 2
    if how == 2:
        return z % 2
    if how == 3:
        return int(z)
    if how == 4:
        return z.nothing
    if how == 5:
        return z + "text"
    if how == 6:
        return [1, 2][z]
    if how == 7:
        return ~z
    if how == 8:
        return complex(x, "1")
    return z.conjugate(1)


for how in range(10):
    show(wrong, 2.5, how)


@stage
def texts(x, y):
    z = complex(x, y)
    print(z, [z], f"{z:.2f}", f"{z}", str(z), repr(z), "%s" % (z,))
    return isinstance(z, complex), isinstance(z, (int, float)), type(z), z is None, hash(z) == hash(complex(x, y))


show(texts, 1.25, -0.5)
show(texts, 0.0, -0.0)


@stage
def kept(x, n):
    z, seen, where = complex(x, 0.5), [], {}
    for i in range(n):
        z = z * 1j
        seen.append(z)
        where[i] = (z, i)
    return seen, where, sum(seen), (z, z)


for n in (0, 1, 5):
    show(kept, 2.0, n)


@stage
def roots(x, y):
    z = complex(x, y)
    for step in range(50):
        try:
            next_z = z - (z * z * z - 1) / (3 * z * z)
        except ZeroDivisionError:
            return "stuck", step
        if abs(next_z - z) < 1e-12:
            return next_z, step
        z = next_z
    return z, 50


for args in [(1.0, 1.0), (-1.0, 0.3), (0.0, 0.0), (-0.5, -2.0)]:
    show(roots, *args)


@stage
def through_library(x, y):
    z = complex(x, y)
    return cmath.exp(z), cmath.phase(z), cmath.sqrt(z) * z, complex(z), complex(x), complex()


show(through_library, 0.5, -1.25)


class Signal:
    def __init__(self):
        self.value = 1 + 0j


@stage
def rotate(signal, angle, n):
    for i in range(n):
        signal.value = signal.value * complex(1.0, angle)
    return signal.value


signal = Signal()
print(rotate(signal, 0.25, 3), signal.value, rotate(signal, 0.25, 3), signal.value)

unit = 1j


@stage
def identity(start, x, n):
    # A number that has gone round a loop may be the one that it began as.
    z = unit
    for i in range(n):
        z = z * x
    return z is unit, z is not start


for n in (0, 1, 3):
    show(identity, unit, 0.5, n)


@stage
def contained(x, y):
    z, w = complex(x, y), complex(x, y)
    return z in [w, 1j], [z, 1] == [w, 1], (z,) == (z,), [w].count(z), z in (z,)


show(contained, 1.0, 2.0)
show(contained, nan, 2.0)


@stage
def nan_round_a_loop(x, n):
    z = w = complex(x, 1)
    for i in range(n):
        z = z * 1.0
        if i == 1:
            w = z
    return z == w, [z] == [w], z in [w], [w, z].index(z)


for n in (0, 1, 2, 3):
    show(nan_round_a_loop, nan, n)
    show(nan_round_a_loop, 2.0, n)
