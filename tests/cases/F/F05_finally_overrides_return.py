# F05, F06: `finally` runs on every way out, and its `return` counts.
from support import show


def f(x):
    try:
        if x > 0:
            return 2
        x = x - 1
    finally:
        print("  finally", x)
    return x


def g(x):
    while x > 0:
        try:
            x -= 1
            if x == 3:
                break
            if x == 1:
                return "one"
        finally:
            x -= 1
    return x


show(f, 1, 0)
show(g, 2, 3, 5, 9, 0)
