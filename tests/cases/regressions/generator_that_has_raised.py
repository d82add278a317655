"""A generator that has raised has ended, also for who handles the exception."""
from snekpy import stage

v2 = []
def main(i0, v0, q0):
    y_1 = (q for q in (i0 % -4096, i0) if q != v0[-1 - 1 % len(v2)])
    try:
        if i0 > 2:
            i0 = next(y_1)
        else:
            i0 = 1 - next(y_1)
    except ZeroDivisionError:
        i0 = next(y_1, -1)
    print(next(y_1, None))
    return i0
f = stage(main)
print(f(0, [1,2,3], (1, 2)))
def main2(i0, v0, q0):
    y_1 = (q for q in (i0 % -4096, i0) if q != v0[-1 - 1 % len(v2)])
    try:
        i0 = 1 - next(y_1)
    except ZeroDivisionError:
        i0 = next(y_1, -1)
    print(next(y_1, None))
    return i0
f = stage(main2)
print(f(0, [1,2,3], (1, 2)))
