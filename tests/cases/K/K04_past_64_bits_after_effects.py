# K04: ints past 64 bits after the call has printed, drawn, or written into an array: it goes on with big ints.
import random
from array import array

from snekpy import stage
from support import show

SEEN = 0


def growing(x, n):
    for i in range(n):
        x = x * x
        print(i, x)
    return x


def factorials(n):
    product = 1
    k = 1
    while k <= n:
        product *= k
        print(k, product)
        k += 1
    return product


def assigned(x):
    global SEEN
    print("before", x)
    SEEN = SEEN + x
    y = x + x
    SEEN += y
    return y


def every(x, y):
    print("x", x)
    return -x, abs(x), x - y, x // y, x << 2, x**3, x**y if y > 0 else 0


def powers(x, n):
    print("base", x)
    return x**n, pow(x, n), 1 << n, x << n


def whole(x):
    print("x", x)
    return int(x), round(x)


def roots(x, p):
    print("x", x)
    try:
        return x**0.5, x**p
    except ZeroDivisionError as error:
        return type(error)


def inside(x, n):
    total = 0
    for i in range(n):
        print(i)
        try:
            total += x * (i + 1)
        finally:
            print("then", total)
    return total


def drawn(n):
    random.seed(3)
    total = 1
    for _ in range(n):
        total *= random.randint(2, 9)
    return total


def written(a, x):
    for i in range(len(a)):
        a[i] = i
        x += x
    return x, a


def nested(x):
    def twice(y):
        print("twice", y)
        return y + y

    return [twice(x + i) for i in range(3)]


def filled(x, n):
    for i in range(n):
        a = [x, x + i]
        print(len(a), sum(a[:1]))
        x += a[1]
    return x


show(growing, (2, 3), (2, 7), (3, 5), (2, 6))
show(factorials, 5, 20, 21, 25)
show(assigned, 3, 2**62, 2**61)
print(SEEN)
show(every, (5, 3), (-(2**63), -1), (2**62, 2), (-(2**63), 1), (2**21, -(2**63)), (2**21, 5), (-(2**21), 2))
show(powers, (2, 62), (2, 63), (-2, 63), (3, 39), (3, 40), (0, 70), (1, 70), (-1, 64), (5, 0), (1, 63), (-1, 63))
show(whole, 1.5, 9.2e18, 9.3e18, -9.3e18, 2.0**63, -(2.0**63))
show(roots, (4.0, 2.5), (-4.0, 2.5), (-4.0, 2.0), (0.0, -1.5))
show(inside, (3, 4), (2**61, 5), (2**62, 3))
staged = stage(drawn)
print(staged(4), staged(40), staged(4))
for x in (1, 2**57, 2**60):
    print(stage(written)(array("q", [9] * 5), x))
show(nested, 4, 2**62 - 1, 2**63 - 2)
show(filled, (1, 4), (2**62, 4))
