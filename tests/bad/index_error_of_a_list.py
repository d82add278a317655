# An index that is out of the range of a list.
from snekpy import stage


@stage
def at(values, i):
    return values[i] * 2


print(at([1, 2, 3], -3))
print(at([1, 2, 3], 3))
