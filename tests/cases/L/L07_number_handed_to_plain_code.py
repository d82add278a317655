# L07: a staged number is wanted at once: printed, converted, formatted, compared, stored outside.
from array import array

from support import show

history = []


def printed(a, x):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * x
        print("  total", total, f"{total:.2f}")
    print("  all", a.tolist(), [total])
    return float(total), int(total), str(total)


def kept(a, x):
    loss = a[0] * x
    history.append(loss)
    if history[-1] > 2:
        history.append("big")
    return len(history)


def item(a, i):
    v = a[i]
    return v, type(v).__name__, v == a.tolist()[i], "%d" % v, hash(v) == hash(a[i])


def branch_after_print(x):
    print("  got", x)
    if x > 0:
        print("  positive", repr(x))
    return bool(x), complex(x) == x


show(printed, (array("d", [1, 2]), 0.5), (array("d"), 1), (array("q", [1]), 2))
show(kept, (array("d", [1]), 1), (array("d", [4]), 1), (array("q", [1]), 3))
print(history)
show(item, (array("d", [1, 2]), 1), (array("q", [1, 2]), -1), (array("f", [0.1]), 0))
show(branch_after_print, 1, 0, -0.5)
