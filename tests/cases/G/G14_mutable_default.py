# G14: the default value is one object, shared by all calls.
from snekpy import stage


@stage
def collect(x, into=[]):
    into.append(x)
    return into


@stage
def count(x, seen={}):
    seen["calls"] = seen.get("calls", 0) + 1
    if x > 0:
        seen["positive"] = x
    return seen


def helper(x, into=[0]):
    into[0] += x
    return into[0]


@stage
def through_a_helper(n):
    total = 0
    for i in range(n):
        total += helper(i)
    return total, helper(0)


@stage
def immutable(x, by=2, *, offset=0.5):
    by += x
    return by + offset


print(list(collect(1)), list(collect(2.5)), list(collect(3, [])), list(collect(True)))
print(collect(4) is collect(5), collect(6, []) is collect(7))
print(dict(count(1)), dict(count(-1)), dict(count(2.5)), dict(count(1, {})), dict(count(0)))
print(through_a_helper(4), through_a_helper(0), through_a_helper(2), helper.__defaults__)
print(immutable(1), immutable(1, 1), immutable(1, offset=1), immutable(0.5))
helper.__defaults__ = ([100],)
print(through_a_helper(2), through_a_helper(1))
