# K15: complex numbers that loops compute, and what is asked of them.
from support import show


def powers(n):
    z = 1j
    for i in range(n):
        z = z * z + 0.25
    return z, z.real, abs(z), z.conjugate()


def escapes(x, y, limit):
    c = complex(x, y)
    z = 0j
    n = 0
    while n < limit and abs(z) <= 2.0:
        z = z * z + c
        n += 1
    return n, z


def asked(x, y):
    z = complex(x, y)
    w = z * 2 + x
    return z, w, z == w, z.real, w.imag, -z, z**2, bool(z), str(z), f"{z}", z in (z, 1), repr([w])


def wrong(x):
    z = complex(x)
    if x > 0:
        return z < 1
    return z.nothing


show(powers, 3, 0, 1, 12, strict="leave")
show(escapes, (0.25, 0.5, 30), (1, 1, 30), (-2, 0, 5), (0.5, 0.5, 0), strict="leave")
show(asked, (1, 2), (0.5, -0.0), (0, 0), (True, 1), strict="leave")
for x in (1, -1.5):
    try:
        print(wrong(x))
    except (TypeError, AttributeError) as error:
        print(type(error).__name__)
