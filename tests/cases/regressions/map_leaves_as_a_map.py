# What `map` and `filter` give is a map and a filter when it leaves staged code.
from snekpy import stage


def twice(n):
    return map(lambda it: it * 2 + n, [1, 2])


def pairs(n):
    return map(lambda a, b: a * n + b, [1, 2], (3, 4))


def above(n):
    return filter(lambda it: it > n, [1, 2])


kept = []


def keep(n):
    kept.append(map(lambda it: it + n, range(n)))
    kept.append(filter(None, [0, n]))


for function in (twice, pairs, above):
    for n in (1, 2):
        found = stage(function)(n)
        print(function.__name__, type(found).__name__, list(found))
stage(keep)(3)
print([(type(it).__name__, list(it)) for it in kept])
