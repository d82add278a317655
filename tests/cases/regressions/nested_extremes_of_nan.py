"""The larger of the larger of two, where one is a NaN: which is given back is kept."""
from support import show


def twice(x):
    return max(0.5, max(x, 0.5)), max(max(x, 0.5), 0.5), min(0.5, min(x, 0.5)), min(max(x, 0.5), 0.5)


def in_lists(x):
    y = max([x, x, 0.5])
    return max([0.5, y, 0.5]) - 0.625


def by_hand(x):
    s = 1.5 if x < 1.5 else x
    t = s if s > 1.5 else 1.5
    u = 1.5 if s < 1.5 else s
    return s, t, u


for function in (twice, in_lists, by_hand):
    show(function, float("nan"), 0.25, 0.5, 1.5, 2.0, -0.0)
