# I07: slices that are read, written and deleted, with known and with staged bounds.
from support import show


def read(l, a, b):
    return l[a:b], l[a:], l[:b], l[::-1], l[1:-1]


def read_with_step(l, a, b, step):
    return l[a:b:step]


def written(l, a, b, x):
    l[a:b] = [x, x]
    return len(l)


def written_with_step(l, x):
    l[::2] = [x] * len(l[::2])
    return l


def wrong_length(l, x):
    l[::2] = [x]
    return l


def deleted(l, a, b):
    del l[a:b]
    return len(l)


def every_second_deleted(l, x):
    l.append(x)
    del l[::2]
    if x > 0:
        del l[-1:]
    return l


def of_a_tuple(x, y, a):
    t = (x, y, x + y)
    return t[a:], t[:a], t[::-1], t[-2:]


def of_a_string(s, a, b):
    return s[a:b], s[b:a:-1]


def copied(l, x):
    m = l[:]
    m[0] = x
    l[1:] = m
    return m


LIST = [1, 2, 3, 4, 5]
show(read, (LIST, 1, 3), (LIST, 0, 9), (LIST, -2, 5), (LIST, 3, 1), ([], 0, 1))
show(read_with_step, (LIST, 0, 5, 2), (LIST, 4, 0, -1), (LIST, None, None, 3), (LIST, 0, 5, 0))
show(written, (LIST[:], 1, 3, 9), (LIST[:], 0, 0, 9), (LIST[:], 0, 5, 0.5), (LIST[:], 4, 2, 9), (LIST[:], -1, 99, 9))
show(written_with_step, (LIST[:], 9), ([], 9), ([1], 0.5))
show(wrong_length, (LIST[:], 9), ([1], 9))
show(deleted, (LIST[:], 1, 3), (LIST[:], 0, 9), (LIST[:], 3, 1), (LIST[:], -2, 5))
show(every_second_deleted, ([1, 2, 3], 9), ([1, 2, 3], -9), ([], 1))
show(of_a_tuple, (1, 2, 1), (0.5, 2, 0), (1, 2, -1), (1, 2, 9))
show(of_a_string, ("staged", 1, 3), ("staged", -2, 2), ("", 0, 1))
show(copied, ([1, 2, 3], 9), ([1], 0.5), ([], 1))
