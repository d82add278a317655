# G13: all the ways in which Python binds arguments.
from snekpy import stage


@stage
def f(a, b=2, /, c=3, *rest, d, e=5, **more):
    return a + b * 10 + c * 100 + d * 1000 + e, rest, more


@stage
def g(x, *, by=1):
    return x + by


for call in (
    lambda: f(1, d=4),
    lambda: f(1, 20, 30, 7, 8, d=4),
    lambda: f(1, 2, d=4, e=6, z=9),
    lambda: f(*[1, 2], c=7, **{"d": 1}),
    lambda: f(1),
    lambda: f(d=1),
    lambda: f(1, a=3, d=4),
    lambda: g(1),
    lambda: g(1, by=0.5),
    lambda: g(1, 2),
    lambda: g(),
    lambda: g(x=3),
    lambda: g(1, by=2, to=3),
):
    try:
        print(call())
    except TypeError as error:
        print("TypeError:", error)
