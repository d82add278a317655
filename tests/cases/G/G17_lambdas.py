# G17: lambdas, outside and inside.
from support import show

square = lambda v: v * v


def f(x):
    return square(x) + (lambda a, b=2: a * b)(x)


show(f, 3, 0.5)
show(lambda x: x + 1, 3, 0.5)
