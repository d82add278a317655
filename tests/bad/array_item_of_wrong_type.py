# A float does not go into an array of ints.
from array import array

from snekpy import stage


@stage
def put(a, v):
    a[0] = v
    return a[0]


print(put(array("q", [0]), 1))
print(put(array("q", [0]), 0.5))
