# D13: for over a dictionary in the order of insertion.
from snekpy import stage


def f(x):
    d = {"a": x, "b": 2}
    d["c"] = x + 1
    s = 0
    for key, value in d.items():
        s = s * 10 + value
        if key == "b":
            s += 100
    for key in d:
        s += d[key]
    return s, list(d), sum(d.values())


f = stage(f)
print(f(1), f(5), f(0.5))
