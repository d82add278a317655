# A10: more kinds of values meet at the end of the call than there is code for.
from support import show


def five(x):
    return (
        x if x > 0 else None,
        x if x > 1 else None,
        x if x > 2 else None,
        x if x > 3 else None,
        x if x > 4 else None,
    )


def growing(n):
    return None if n == 0 else (growing(n - 1), n)


def in_a_list(n):
    l = []
    if n > 0:
        l.append(n)
    if n > 1:
        l.append("s")
    if n > 2:
        l.append(None)
    if n > 3:
        l.append(l[0] / 2)
    if n > 4:
        l.append([n])
    return l, len(l)


show(five, 0, 3, 9, 0.5)
show(growing, 0, 2, 5)
show(in_a_list, 0, 1, 2, 3, 4, 5)
