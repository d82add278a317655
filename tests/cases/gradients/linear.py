# Products with the derivative: vjp, jvp and linearize agree with each other and with differences.
import math

from snekpy import jvp, linearize, vjp
from support import rounded


def f(x, p):
    y = x
    for i in range(5):
        y = math.tanh(y * p["w"] + p["b"])
    return (y, {"square": y * y, "sum": x + p["b"]})


point = (0.7, {"w": 1.2, "b": -0.1})
value, pull = vjp(f, *point)
print(rounded(value), rounded(pull((1.0, {"square": 0.0, "sum": 0.0}))), rounded(pull((0.5, {"square": 2.0, "sum": -1.0}))))
print(rounded(jvp(f, point, (1.0, {"w": 0.5, "b": 2.0}))))
value, push = linearize(f, *point)
print(rounded(value), rounded(push(1.0, {"w": 0.5, "b": 2.0})), rounded(push(0.0, {"w": 1.0, "b": 0.0})))


def total(xs):
    s = 0.0
    for x in xs:
        s = s * 0.5 + math.sin(x)
    return s


for n in (2, 3, 4, 5, 6, 7):
    xs = [0.1 * i + 0.2 for i in range(n)]
    print(rounded(jvp(total, (xs,), ([1.0] * n,))), rounded(vjp(total, xs)[1](2.0)))


# Constants in a result have no share.
value, pull = vjp(lambda x, y: (1.0, x * y, [x, 2.0]), 2.0, 3.0)
print(value, rounded(pull((5.0, 1.0, [10.0, 7.0]))))
value, push = linearize(lambda x: (1.0, x * x, {"c": 2.0, "x": x}), 3.0)
one, square, named = push(1.0)
print(value, rounded([one, square, named["c"], named["x"]]))
