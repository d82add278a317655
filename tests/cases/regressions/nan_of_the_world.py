# A NaN in a global variable, an attribute or a closure is found in containers by which object it is, also after other
# numbers were there.
import math
from snekpy import stage

number = 1.0
many = {f"k{i}": i for i in range(50)}


class Holder:
    pass


holder = Holder()


def has(d):
    return number in d, (50, number) in d, d.get(number)


def hashes():
    return hash(number) == hash(number), hash((1, number)) == hash((1, number))


def makes(n):
    return [number] == [number], (n, number) == (n, number), {number: 1}.get(number), len({number, number})


def counts(items):
    return items.count(number), number in items


def held(d):
    return holder.number in d, d.get(holder.number), holder.number == number


def closed():
    value = 1.0

    def change(other):
        nonlocal value
        value = other

    return change, stage(lambda d: (value in d, d.get(value)))


change, inner = closed()
functions = [stage(f) for f in (has, hashes, makes, counts, held)]
for value in (1.0, 2.0, 3.0, math.nan, math.nan, math.nan * 2, 4.0):
    number = holder.number = value
    change(value)
    d = dict(many)
    d[value] = 1
    d[50, value] = 3
    arguments = [(d,), (), (3,), (["x", value, "y"] * 20,), (d,)]
    for _ in range(2):
        print([f(*given) for f, given in zip(functions, arguments)], inner(d))
