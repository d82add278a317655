"""Generators that run inside themselves as deep as an argument says: not captured for ever, in seconds and gigabytes."""
from snekpy import stage


def boards(n, k):
    if k == 0:
        yield []
        return
    for rest in boards(n, k - 1):
        for c in range(n):
            if all(c != q and abs(c - q) != k - 1 - i for i, q in enumerate(rest)):
                yield rest + [c]


def down(n):
    if n > 0:
        yield n
        yield from down(n - 1)


def inorder(tree, least):
    if tree is not None:
        left, value, right = tree
        yield from inorder(left, least)
        if value >= least:
            yield value
        yield from inorder(right, least)


@stage
def queens(n):
    return sum(1 for _ in boards(n, n))


@stage
def first(n):
    return next(boards(n, n), None)


@stage
def countdown(n):
    return list(down(n))


@stage
def known(x):
    return sum(x * i for i in down(4))


@stage
def members(tree, least):
    return [value for value in inorder(tree, least)]


for n in (1, 4, 5, 3):
    print(queens(n), first(n), countdown(n), known(n))
tree = ((None, 1, None), 2, ((None, 3, None), 4, None))
for least in (0, 3, 9):
    print(members(tree, least))
try:
    countdown("x")
except TypeError as error:
    print(error)
