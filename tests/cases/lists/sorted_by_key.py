# `sorted` and `list.sort` with a key, of lists of any length.
import operator

from support import show


def s1(n):
    xs = [(i * 7919) % 1009 for i in range(n)]
    return sorted(xs, key=lambda q: -q)


def s2(n):
    xs = [((i * 7919) % 13, i * 0.5) for i in range(n)]
    return sorted(xs, key=lambda q: q[0])


def s3(n):
    xs = [((i * 7919) % 13, -i * 0.5) for i in range(n)]
    return sorted(xs)


def s4(n):
    xs = [((i * 7919) % 13, -i * 0.5, i % 2 == 0) for i in range(n)]
    xs.sort(key=lambda q: (q[2], -q[0]), reverse=True)
    return xs


def s6(a, b, c):
    return sorted([a, b, c], key=abs), sorted([(a, 2), (b, 1), (c, 3)], key=lambda t: t[1]), sorted([(a, 2), (b, 1), (c, 3)], key=lambda t: t[0])


def s7(a, b, c):
    l = [(a, 'x'), (b, 'y'), (c, 'z')]
    l.sort(key=lambda t: t[0])
    return l


def s8(n):
    l = [i for i in range(n)]
    l.sort(key=lambda q: len(l) - q)
    return l


def s9(n):
    l = [(i, i % 3) for i in range(n)]
    l.sort(key=operator.itemgetter(1))
    return l


def s10(n):
    l = [(float(i % 4), i) if i % 5 else (float('nan'), i) for i in range(n)]
    return [q[1] for q in sorted(l)]


def s11(n):
    l = [(i * 0.5 if i % 3 else float('nan')) for i in range(n)]
    return sorted(l, key=lambda q: -q)


def s12(n):
    l = [(i % 5, i) for i in range(n)]
    try:
        return sorted(l, key=lambda q: 1 // (q[0] - 3))
    except ZeroDivisionError as e:
        return type(e).__name__, l[:2]


for function in (s1, s2, s3, s4, s8, s9, s10, s11, s12):
    show(function, 3, 0, 1, 20, 70)
for function in (s6, s7):
    show(function, (3, -1, 2), (1.5, -7.0, 0.5), (1, 1, 1))
