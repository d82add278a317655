# G20: local recursive functions that change lists and variables of the function around them.
from support import show


def counted(n):
    t = [0]
    s = 0

    def go(k):
        nonlocal s
        if k == 0:
            return
        t[0] += 1
        s += k
        go(k - 1)

    go(n)
    return t, s


def collected(n):
    seen = {}

    def go(k):
        if k <= 0:
            seen["end"] = k
            return 0
        return 1 + go(k - 2)

    return go(n), seen


def both_ways(n):
    t = [0]

    def go(k):
        if k == 0:
            t[0] += 100
            return k
        t[0] += 1
        return go(k - 1)

    return go(n), t


def fibonacci(n):
    pair = [(0, n)]
    seen = set()
    it = iter(range(10))

    def go(k):
        if k == 0:
            return
        a, b = pair[0]
        pair[0] = (b, a + 1)
        seen.add(1)
        next(it)
        go(k - 1)

    go(n)
    return pair, seen, list(it)


show(fibonacci, 0, 3, 1, 6)
show(counted, 0, 1, 3)
show(collected, 4, 5, 0)
show(both_ways, 0, 3)
