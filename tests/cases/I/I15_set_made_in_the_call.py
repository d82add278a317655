# I15: every call makes its own set, and its own bytearray.
from support import show

numbers = iter(range(10**6))


def staged_items(x):
    s = set()
    s.add(x)
    return sorted(s)


def literal(x, y):
    return len({x, y}), sorted({v % 3 for v in (x, y)})


def changed_in_one_arm(x):
    s = {1, 2}
    if x > 0:
        s.add(7)
    next(numbers)
    return sorted(s)


def in_a_loop(n):
    s = set()
    for i in range(n):
        s.add(i // 2)
    return len(s)


def byte_array(x):
    b = bytearray()
    b.append(x)
    return list(b)


show(staged_items, 1, 2, 0)
show(literal, (1, 2), (3, 6), (1, 1))
show(changed_in_one_arm, 1, 0)
show(in_a_loop, 4, 1, 0)
show(byte_array, 1, 2)
