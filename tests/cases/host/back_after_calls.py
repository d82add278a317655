# Calls that leave compiled code in a loop for one instruction and come back: everything is as without staging.
import io
import sys
import traceback
from array import array

from snekpy import stage
from support import show

LIMIT = 4
SEEN = {}


class Host:
    """What native code can do meanwhile."""

    def __init__(self):
        self.calls = 0
        self.factor = 2
        self.lines = []

    def write(self, *what):
        self.lines.append(what)


def native(function):
    """The function as native code calls it: `sorted` asks it for a key."""
    return lambda *args: sorted([args], key=lambda them: function(*them) or 0)[0]


host = Host()
out = io.StringIO()


def written(n, x):
    total = 0.0
    for i in range(n):
        total += x * i
        if i % 3 == 2:
            out.write(f"{i} {total}\n")
        total += 1.0
    return total


def nested(n, x):
    def report(i, value):
        for k in range(2):
            value += k
            if i % 2:
                out.write(f"{i} {k} {value!r}\n")
        return value

    total = x
    for i in range(n):
        total = report(i, total) * 1.5
    return total


def condition(n):
    i = 0
    odd = 0
    while i < n:
        if hex(i).endswith("f"):
            odd += 1
        i += 1
    return odd, i


def several(xs, ys):
    total = 0
    for i, (x, y) in enumerate(zip(xs, ys)):
        total += x * y
        out.write(f"{i}:{total} ")
        total -= i
    return total


def backwards(n):
    items = []
    for i in range(n, 0, -2):
        items.append(i)
        out.write(str(len(items)))
        items[0] += 1
    return items


def typed(n):
    value = 1
    kinds = []
    for i in range(n):
        value = int(hex(i), 16) * value + 1 if i % 2 else float(len(oct(i))) + value
        kinds.append(type(value).__name__)
        out.write(repr(value))
    return value, kinds


def failing(n, x):
    total = 0
    for i in range(n):
        try:
            total += i
            int("zz" if i == x else "7", 16 if i != x else 10)
            total += 100 // (i - 5)
        except ValueError as error:
            total += 1000
            out.write(str(error))
        finally:
            total += 1
    return total


def changed(n):
    total = 0
    for i in range(n):
        total += host.factor * i
        if i == LIMIT:
            host.write(i, total)
            out.write(str(setattr(host, "factor", host.factor + 1)))
        total += host.factor
    return total, host.factor


def listed(items, n):
    for i in range(n):
        items.append(i * 2)
        out.write(str(items))
        items[0] -= 1
    return sum(items)


def grown(a, n):
    total = 0
    for i in range(n):
        total += a[i]
        if i == 1:
            out.write(str(a.extend(array("d", [0.5, 1.5]))))
        total += len(a)
    return total


def stored(n):
    total = 0
    for i in range(n):
        SEEN[i % 3, "k"] = total
        host.last = i
        total += i * i
    return total, len(SEEN)


def framed(n):
    names = []
    for i in range(n):
        frame = sys._getframe()
        names.append((frame.f_code.co_name, frame.f_lineno - frame.f_code.co_firstlineno, frame.f_locals["i"]))
    return names


def again(n):
    total = 0
    for i in range(n):
        total += i
        if n > 2:
            out.write(str(staged_again(n - 1)))
        total *= 2
    return total


def deep(n):
    total = 0
    for i in range(n):
        out.write("")
        total += 2 ** (i * 8)
    return total


show(written, (10, 0.5), (2, 0.5), (7, 2))
show(nested, (5, 0.5), (4, 1))
show(condition, 40, 0, 15)
show(several, ([1, 2, 3], [4, 5, 6]), ([1.5] * 20, list(range(20))))
show(backwards, 7, 1, 0)
show(typed, 5, 0, 9)
show(failing, (4, 2), (8, 2), (4, 9))
show(changed, 3, 8, 8)
show(listed, ([5], 3), ([1, 2], 12))
show(stored, 7, 2)
show(deep, 4, 12)
staged_again = stage(again)
print(staged_again(5), staged_again(2))
print(stage(framed)(3))
print(host.calls, host.lines, SEEN, host.last)
a = array("d", [1.0, 2.0, 3.0, 4.0])
for _ in range(2):
    try:
        print(stage(grown)(a, 5), list(a))
    except Exception as error:
        print(type(error).__name__, error, list(a))
print(out.getvalue())
try:
    stage(failing)(8, 2)
except ZeroDivisionError:
    print([(it.name, it.line) for it in traceback.extract_tb(sys.exc_info()[2])][1:])
