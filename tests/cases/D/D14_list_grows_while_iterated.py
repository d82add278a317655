# D14: the list grows while it is iterated.
from snekpy import stage


def f(x):
    l = [x, 2]
    s = 0
    for v in l:
        s += v
        if len(l) < 5:
            l.append(v + 1)
    return s, l


f = stage(f)
print(f(1), f(5))
