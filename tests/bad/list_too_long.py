# A list argument with more items of several kinds than staged code takes as single values.
from snekpy import stage


@stage(strict=True)
def total(l):
    s = 0
    for v in l:
        s += v
    return s


print(total([1, 0.5] * 128))
print(total([1] * 257))
print(total([1, 0.5] * 129))
