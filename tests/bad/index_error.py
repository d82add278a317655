# An index that is out of range.
from array import array

from snekpy import stage


@stage
def at(values, i):
    return values[i] * 2


values = array("d", [1, 2, 3])
print(at(values, 2))
print(at(values, 3))
