# Lists that grow in captured loops: the length is known only when the code runs. Strict: all of it is compiled.
from array import array

from support import show


def squares(n):
    out = []
    for i in range(n):
        out.append(i * i)
    return out


def evens(n):
    return [i * 1.5 for i in range(n) if i % 2 == 0]


def sieve(n):
    flags = [True] * (n + 1)
    flags[0] = flags[1] = False
    i = 2
    while i * i <= n:
        if flags[i]:
            for j in range(i * i, n + 1, i):
                flags[j] = False
        i += 1
    primes = []
    for i in range(n + 1):
        if flags[i]:
            primes.append(i)
    return primes


def halves(n):
    stack = [n]
    total = 0
    while stack:
        x = stack.pop()
        total += x
        if x > 1:
            stack.append(x // 2)
            stack.append(x - x // 2)
    return total, len(stack)


def pascal(n):
    row = [1]
    for _ in range(n):
        longer = [1]
        for j in range(len(row) - 1):
            longer.append(row[j] + row[j + 1])
        longer.append(1)
        row = longer
    return row


def out_of_range(n):
    out = [1.0]
    for i in range(n):
        out.append(out[-1] * 2)
    return out[n + 1]


def caught(n):
    out = []
    try:
        for i in range(10):
            out.append(10 // (n - i))
    except ZeroDivisionError:
        out.append(-1)
    return out


def kept_until_raised(items, n):
    for i in range(10):
        items.append(10 // (n - i))


def two_in_one_loop(a):
    low, high = [], []
    for x in a:
        if x < 2.0:
            low.append(x)
        else:
            high.append(x)
    return low, high, len(low) - len(high)


def breadth_first(n):
    work = [n]
    for x in work:
        if x > 0:
            work.append(x - 1)
    return work


def aliased(n):
    out = []
    same = out
    for i in range(n):
        out.append(i)
        if len(same) > 2:
            same[0] += 10
    return out, same, out is same


show(squares, 5, 10, 0, strict=True)
show(evens, 7, 0, strict=True)
show(sieve, 50, 2, strict=True)
show(halves, 10, 1, strict=True)
show(pascal, 6, 0, strict=True)
show(out_of_range, 3, 0, strict=True)
show(caught, 3, 20, 0, strict=True)
show(kept_until_raised, ([], 3), ([5], 2), ([5, 6], 20), strict=True)
show(two_in_one_loop, array("d", [1, 2, 3, 0.5]), array("d"), strict=True)
show(breadth_first, 4, 0, strict=True)
show(aliased, 5, 1, strict=True)
