# F01: try and except around staged arithmetic.
from support import show


def f(x, y):
    try:
        r = x / y
    except ZeroDivisionError:
        r = -1
    return r


def g(x):
    try:
        if x < 0:
            raise ValueError("neg", x)
        return 10 // x
    except ValueError as error:
        return error.args[0]
    except ZeroDivisionError:
        return None
    finally:
        x = 0


show(f, (6, 3), (1, 0), (1.5, 0.5), (1, 0.0))
show(g, 3, -1, 0)
