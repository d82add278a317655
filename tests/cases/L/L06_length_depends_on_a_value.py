# L06: an array is made whose length depends on a staged number.
from array import array

from support import show


def zeros(n):
    return (array("d", [0]) * n).tolist()


def squares(n):
    return array("q", [i * i for i in range(n)]).tolist()


def grown(n, x):
    a = array("d")
    for i in range(n):
        a.append(i * x)
    return a.tolist()


def masked(a, limit):
    kept = array(a.typecode)
    for v in a:
        if v > limit:
            kept.append(v)
    return kept.tolist(), len(kept)


def in_one_arm(x):
    if x > 0:
        a = array("q", [1])
    else:
        a = array("q", [1, 2])
    a[-1] += 5
    return a.tolist(), len(a)


def sliced(a, n):
    b = a[:n]
    b[0] = 7
    return b.tolist(), a[0], len(b)


show(zeros, 3, 0, -1)
show(squares, 3, 0)
show(grown, (3, 0.5), (0, 1), (2, 1))
show(masked, (array("q", [5, 1, 7]), 2), (array("d", [0.5]), 1), (array("d"), 0))
show(in_one_arm, 1, 0)
show(sliced, (array("q", [1, 2, 3]), 2), (array("q", [1, 2, 3]), 9), (array("q", [1]), 0))
