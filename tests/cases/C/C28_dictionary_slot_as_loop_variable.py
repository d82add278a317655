# C28: the loop variable is a slot of a dictionary.
from snekpy import stage


def f(n):
    d = {"a": 0}
    while n > 0:
        d["a"] += n
        n -= 1
    return d["a"]


f = stage(f)
print(f(4), f(0))
