"""What unpacking takes from an iterator, and the text of its error."""
#@ reference snekpy: CPython 3.11 does not say how many there are
from snekpy import stage


def u1(x):
    it = iter([x, 2, 3, 4, 5])
    try:
        a, b = it
    except ValueError as e:
        return str(e), next(it)
def u2(x):
    it = iter([x, 2, 3, 4, 5])
    try:
        a, *b = it
    except ValueError as e:
        return str(e), next(it)
    return a, b, next(it, None)
def u3(x):
    r = []
    for f in (lambda: range(3), lambda: {1: 2, 3: 4, 5: x}, lambda: {1, 2, 3}, lambda: "abc", lambda: (x,), lambda: [x, x, x], lambda: zip([x, 1, 2], [1, 2, 3]), lambda: enumerate([x, x, x]), lambda: map(abs, [x, x, x]), lambda: (q for q in (x, 1, 2)), lambda: {1: x}.items()):
        try:
            a, b = f()
        except ValueError as e:
            r.append(str(e))
    return r
def u4(x):
    z = zip([x, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    e = enumerate([x, 1, 2, 3, 4])
    g = (q * x for q in (1, 2, 3, 4, 5))
    r = []
    for i in (z, e, g):
        try: a, b = i
        except ValueError as e: r.append(str(e))
        r.append(next(i))
    return r
def u5(x, q):
    a, b = q
    return a + b + x

for f in (u1, u2, u3, u4):
    print(stage(f)(1))
for make in (
    lambda: range(2), lambda: range(3), lambda: iter([1, 2, 3, 4]), lambda: iter([1]), lambda: {1: 2, 2: 3},
    lambda: {1: 2, 2: 3, 3: 4}, lambda: "ab", lambda: {1, 2, 3}, lambda: range(1),
):
    q = make()
    try:
        print(stage(u5)(1, q))
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error, list(q) if hasattr(q, "__next__") else "")
