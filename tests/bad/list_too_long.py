# A list argument with more items of several kinds than staged code takes as single values.
from snekpy import stage


@stage(strict=True)
def total(l):
    s = 0
    for v in l:
        if v != "x":
            s += v
    return s


print(total([1, "x"] * 128))
print(total([1] * 257))
print(total([1, "x"] * 129))
