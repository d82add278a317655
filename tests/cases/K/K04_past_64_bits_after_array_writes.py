# An int that leaves 64 bits in a recursive function that has written into an array: what was written stays, and the
# call goes on exactly.
from array import array

from snekpy import stage


@stage
def factorial(n, seen):
    if n < 2:
        return 1
    seen[n] = n
    return n * factorial(n - 1, seen)


for n in (20, 21, 24):
    seen = array("q", bytes(200))
    print(factorial(n, seen), seen.tolist())
