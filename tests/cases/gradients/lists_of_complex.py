# Gradients through lists of complex numbers that grow, beside differences of the plain function.
from snekpy import value_and_grad


def orbit(x, n):
    z, seen = 0j, []
    for _ in range(n):
        z = z * z * 0.5 + complex(x, 0.3)
        seen.append(z)
    return sum(w.real * w.real + w.imag for w in seen)


def filled(x, n):
    found = [0j] * n
    for i in range(n):
        found[i] = complex(x * i, x)
    total = 0j
    for w in found:
        total += w * w
    return abs(total)


def reversed_pairs(x, n):
    found = []
    for i in range(n):
        found.append((complex(i, x), x * i))
    total = 0.0
    for w, y in found[::-1]:
        total = total * 0.5 + (w * w.conjugate()).real * y
    return total


for function in orbit, filled, reversed_pairs:
    for n in 1, 3, 8:
        value, derivative = value_and_grad(function)(0.4, n)
        step = 1e-6
        by_difference = (function(0.4 + step, n) - function(0.4 - step, n)) / (2 * step)
        print(function.__name__, n, value == function(0.4, n), abs(derivative - by_difference) < 1e-6 * (1 + abs(derivative)))
