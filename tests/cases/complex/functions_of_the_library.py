"""`cmath` in compiled code: of complex numbers, floats and ints, and what it refuses."""

import cmath

from snekpy import stage


@stage
def waves(n, z):
    out, total = [], 0j
    for k in range(n):
        w = cmath.exp(-2j * cmath.pi * k / n)
        total = total * w + cmath.sqrt(z - k) + cmath.log(z + k + 1)
        if cmath.isclose(w, 1):
            total += cmath.phase(total)
        out.append(cmath.polar(total))
    return total, out[-1], cmath.isnan(total), cmath.rect(2, n)


@stage
def refused(values):
    out = []
    for value in values:
        try:
            out.append(cmath.log(value))
        except (ValueError, TypeError) as error:
            out.append(type(error).__name__)
    return out


for z in (1 + 2j, 3.5, 2, -1j):
    for n in (1, 4, 9):
        total, (length, angle), is_nan, turned = waves(n, z)
        print(*(f"{it:.9g}" for it in (total.real, total.imag, length, angle, turned.real, turned.imag)), is_nan)
print([str(it)[:12] for it in refused([1, 0, 2.5, "x", 0j, -1])])
