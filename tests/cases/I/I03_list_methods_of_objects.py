# I03: list methods call the methods of the program at every call.
from support import show


class Item:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        print("  less", self.v < other.v)
        return self.v < other.v

    def __eq__(self, other):
        print("  equal")
        return self.v == other.v

    def __index__(self):
        print("  index")
        return self.v


def ordered(x):
    l = [Item(2), Item(1)]
    l.sort()
    return [item.v for item in l], x


def removed(x):
    l = [Item(2)]
    l.remove(Item(2))
    return l, x


def at_an_index(x):
    l = [1, 2, 3]
    l.insert(Item(1), x)
    l[Item(0)] = x
    return l.pop(Item(1)), l, l[Item(0)], l[Item(1):]


def found(x):
    l = [Item(2)]
    return l.index(Item(2)), l.count(Item(1)), Item(2) in l, x


for function in (ordered, removed, at_an_index, found):
    show(function, 1, 1, 0.5)
