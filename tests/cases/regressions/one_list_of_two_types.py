# An empty list that is found where others hold ints, and where others hold floats or tuples.
from snekpy import stage


@stage
def counted(data):
    n = 0
    for a, b in data:
        a.append(1)
        n += len(a) + len(b)
    return n


@stage
def summed(data):
    total = 0
    for a, b in data:
        a.append(7)
        for x in b:
            total += x
    return total


@stage
def unpacked(data):
    n = 0
    for a, b in data:
        a.append(1)
        for x, y in b:
            n += x
    return n


def lists(item):
    return [([1], [item]) for _ in range(30)]


def shared(item, at):
    data, empty = lists(item), []
    data[at] = (empty, empty)
    return data


for function, item in (counted, 1.5), (summed, 1.5), (unpacked, (1, 1.0)):
    for data in lists(item), shared(item, 5), shared(item, 0), shared(item, 29), lists(item):
        try:
            print(function(data))
        except TypeError as error:
            print(error)
        print(data[0], data[5], data[29], [a is b for a, b in data].count(True))
