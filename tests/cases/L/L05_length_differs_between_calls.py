# L05: calls with arrays of different lengths, also of one array that grew between the calls.
from array import array

from support import run
from snekpy import stage


def mean(a):
    total = 0.0
    for v in a:
        total += v
    return total / len(a), a[len(a) // 2]


def dot(a, b):
    total = 0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def of_the_global():
    total = 0
    for v in DATA:
        total = total * 10 + v
    return total, len(DATA), DATA.typecode


staged = stage(mean)
run(mean, staged, (array("d", [1, 2, 3]), array("d", [4]), array("q", range(7)), array("d"), array("d", [5, 6])))
staged = stage(dot)
ints, floats = array("q", [1, 2, 3]), array("d", [0.5, 1])
run(dot, staged, ((ints, ints), (floats, ints), (ints, floats), (array("q"), ints)))
ints.append(4)
floats.extend([2, 3])
run(dot, staged, ((ints, ints), (floats, ints), (ints, floats)))
del ints[1:]
run(dot, staged, ((ints, ints), (ints, floats), (floats, ints)))
DATA = array("q", [1, 2])
staged = stage(of_the_global)
print(staged())
DATA.append(3)
print(staged())
DATA[0] = 9
print(staged())
DATA = array("d", [0.5])
print(staged())
DATA.pop()
print(staged())
for n in range(70):
    DATA.append(n % 2)
    total, length, kind = staged()
print(total, length, kind)
