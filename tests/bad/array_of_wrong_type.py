# An array of a type that staged code does not know.
from array import array

from snekpy import stage


@stage
def first(a):
    return a[0]


print(first(array("d", [1.5])))
print(first(array("B", [1])))
