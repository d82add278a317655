# `for` over a number.
from snekpy import stage


@stage
def total(x):
    s = 0
    for v in x:
        s += v
    return s


print(total([1, 2]))
print(total(3))
