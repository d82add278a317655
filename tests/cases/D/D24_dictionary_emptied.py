# D24: keys are popped while a list of them is iterated.
from snekpy import stage


def f(x):
    d = {"a": x, "b": 2}
    s = 0
    for k in list(d):
        s += d.pop(k)
    return s, d


f = stage(f)
print(f(1), f(5))
