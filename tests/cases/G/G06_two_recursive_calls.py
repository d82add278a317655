# G06: functions that call themselves twice with known strings, with a longer continuation, and in `try`.
from support import show


def hanoi(n, a, b, c, moves):
    if n:
        hanoi(n - 1, a, c, b, moves)
        moves.append((a, c))
        hanoi(n - 1, b, a, c, moves)
    return moves


def towers(n):
    return hanoi(n, "a", "b", "c", [])


def counted(n, p, q):
    if n:
        return counted(n - 1, q, p) + counted(n - 1, p, q) + 1
    return 0


def both(n):
    return counted(n, "a", "b")


def passed_on(n, k):
    return k(1) if n == 0 else passed_on(n - 1, lambda v: k(n * v))


def factorial(n):
    return passed_on(n, lambda v: v)


def wrapped(n):
    if n == 0:
        raise ValueError("deep")
    try:
        wrapped(n - 1)
    except ValueError as error:
        raise KeyError(n) from error


def all_on_the_way(n, l):
    l.append(n)
    try:
        if n == 0:
            raise ValueError("deep")
        return all_on_the_way(n - 1, l)
    finally:
        l.append(-n)


show(towers, 0, 1, 3)
show(both, 0, 2, 4)
show(factorial, 0, 5, 3)
show(wrapped, 0, 1, 2)
show(all_on_the_way, (0, []), (3, []))
