# A number that is in a closure cell of a generator and in what it goes over is one object when both leave.
from support import show


def filtered(i, t):
    k = i + 1
    items = (q for q in [k] if q > int(t + k))
    return list(items)


def handed_out(i, t):
    k = i + 1
    return (q is k for q in [k, i, k] if k > t)


def listed(i, t):
    return list(handed_out(i, t))


show(filtered, (9, -3.25), (9, 3.25))
show(listed, (900, -3.25), (9, 300.25))
