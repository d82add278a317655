# I07: slices with known bounds that are read, written and deleted.
from support import show


def read(l):
    return l[1:], l[:2], l[::-1], l[1:-1], l[-2:], l[3:1], l[:99:2], l[None:None:-2]


def written(l, x):
    l[1:3] = [x, x, x]
    l[:0] = (x,)
    l[-1:] = []
    return len(l)


def written_with_step(l, x):
    l[::2] = [x] * len(l[::2])
    return l


def wrong_length(l, x):
    l[::2] = [x]
    return l


def deleted(l, x):
    l.append(x)
    del l[::2]
    if x > 0:
        del l[-1:]
    return l


def in_one_arm(l, x):
    if x > 0:
        l[:1] = [x, x]
    else:
        del l[:1]
    return l[0], l


def of_a_tuple(x, y):
    t = (x, y, x + y)
    return t[1:], t[:-1], t[::-1], t[-2:], t[5:]


def copied(l, x):
    m = l[:]
    m[0] = x
    l[1:] = m
    return m


LIST = [1, 2, 3, 4, 5]
show(read, (LIST,), ([],), ([0.5],))
show(written, (LIST[:], 9), ([], 0.5), ([1, 2], 9))
show(written_with_step, (LIST[:], 9), ([], 9), ([1], 0.5))
show(wrong_length, (LIST[:], 9), ([1], 9))
show(deleted, ([1, 2, 3], 9), ([1, 2, 3], -9), ([], 1))
show(in_one_arm, (LIST[:], 9), (LIST[:], -9), ([1], 0.5), ([1], 0))
show(of_a_tuple, (1, 2), (0.5, 2))
show(copied, ([1, 2, 3], 9), ([1], 0.5), ([], 1))
