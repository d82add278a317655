# I12: the union of two dictionaries of staged values.
from support import show


def union(x):
    return {"x": x} | {"y": 1}


show(union, 1, 0.5)
