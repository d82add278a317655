# M17: a function is staged while another staged function runs.
from snekpy import stage


def inner(x):
    return x + 1 if x > 0 else x


def outer(x):
    return stage(inner)(x) * 2


print(stage(outer)(3), stage(outer)(-3))
