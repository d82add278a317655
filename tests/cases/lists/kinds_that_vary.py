# Lists that grow with items of another kind on another path, or in another round.
from support import show


def by_flag(n, flag):
    items = []
    for i in range(n):
        items.append(i > 1 if flag else i)
    return items


def by_branch(n, x):
    items = []
    for i in range(n):
        if i < x:
            items.append(True)
        else:
            items = [i]
        for j in range(i):
            items = items[:1] or [j]
    return items


def begun_anew(n):
    items = []
    for i in range(n):
        if i % 3 == 0:
            items = []
        elif i % 3 == 1:
            items = [i > 3]
        else:
            items = [i, i]
        for j in range(i % 4):
            items.append(items[0] if items else j)
    return items


def two_lists(n):
    a, b = [], []
    for i in range(n):
        a.append(i % 2 == 0)
        if len(a) > 2:
            a, b = b, a
        else:
            b.append(i)
    return a, b


def filtered(n, x):
    items = [x]
    for i in range(n):
        items = [j for j in range(i) if j != x] if i % 2 else [j > 1 for j in range(i)]
    return items


show(by_flag, (4, True), (4, False), (0, True), (3, 2))
show(by_branch, (5, 2), (5, 0), (1, 9))
show(begun_anew, 0, 1, 2, 3, 9)
show(two_lists, 0, 1, 5, 8)
show(filtered, (6, 1), (5, 0), (0, 3))
