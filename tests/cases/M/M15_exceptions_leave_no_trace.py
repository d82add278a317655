# M15: a call that fails leaves nothing behind: the next one works.
from snekpy import stage


@stage
def f(x):
    if x == 0:
        raise ValueError("zero")
    return 10 // x


@stage
def g(x):
    return f(x - 1) + f(x)


for x in (1, 0, 2, 1, 3):
    try:
        print(g(x))
    except (ValueError, ZeroDivisionError) as error:
        print(type(error).__name__)
