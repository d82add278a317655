# I23: `is` and `id` of what staged code makes, passes on and gets.
from support import show


class Node:
    pass


def lists(x):
    a = [x]
    b = [x]
    c = a if x > 0 else b
    return a is b, a is a, c is a, c is b, id(a) == id(a), id(c) == id(b), a == b


def objects(x):
    node, other, third = Node(), Node(), Node()
    node.next = other if x > 0 else third
    return node.next is other, node.next is third, node is not other, id(node.next) == id(other)


def none_and_flags(x):
    y = None if x > 0 else x
    flag = x > 0
    return y is None, y is not None, flag is True, flag is not False, (x == 0) is False


def the_argument(l, m):
    if l is m:
        m = list(m)
        return "one", l is m, l == m
    return "two", l is m, l == m


def comes_back(l, x):
    l.append(x)
    return l


def same_in_a_loop(n):
    first = current = [0]
    for i in range(n):
        if i == 2:
            current = [0]
        current[0] += i
    return first is current, first, current


def kinds(x):
    kind = type(x)
    return kind is int, kind is float, kind is not bool


show(lists, 1, -1, 0.5)
show(objects, 1, -1)
show(none_and_flags, 1, 0, -0.5, True)
shared = [1, 2]
show(the_argument, (shared, shared), (shared, [1, 2]), (shared, [1]))
show(comes_back, ([], 1), ([0.5], 2))
show(same_in_a_loop, 2, 4, 0)
show(kinds, 1, 0.5, True)
