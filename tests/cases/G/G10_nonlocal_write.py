# G10: a nested function changes a variable of the function round it.
from support import show


def f(n):
    count = 0

    def tick(by):
        nonlocal count
        count += by
        return count

    for i in range(n):
        if i % 2 == 0:
            tick(i)
    return count, tick(1)


show(f, 5, 0, 1)
