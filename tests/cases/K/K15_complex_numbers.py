# K15: complex numbers, known ones and those that staged numbers make.
from support import show


def scaled(x):
    return (1 + 2j) * x, x - 1j, 2j**2


def made(x, y):
    z = complex(x, y)
    if z.real > z.imag:
        z = z.conjugate()
    return z, z.real, z.imag, abs(z)


def in_a_loop(n):
    z = 0j
    for i in range(n):
        z = z * z + 0.5j
        if abs(z) > 2:
            break
    return z


def root(x):
    return x**0.5 if x >= 0 else (-x) ** 0.5 * 1j


def compared(x):
    return x == x + 0j, 1j == x, complex(x) != x, bool(x * 1j)


def ordered(x):
    if x > 0:
        return x < 1j
    return x


def divided(x):
    return (2 + 2j) / x


show(scaled, 3, 0.5, True)
show(made, (3, 4), (4, 3), (0.5, -1))
show(in_a_loop, 3, 0)
show(root, 4, -4, -2.25)
show(compared, 1, 0, 0.5)
show(ordered, 0, 1)
show(divided, 2, 0.5)
