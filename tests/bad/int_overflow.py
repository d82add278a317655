# An int that leaves 64 bits in a recursive function that has written into an array: the call can neither begin anew nor
# go on as plain Python, and says so.
from array import array

from snekpy import stage


@stage
def factorial(n, seen):
    if n < 2:
        return 1
    seen[n] = n
    return n * factorial(n - 1, seen)


print(factorial(20, array("q", bytes(200))))
print(factorial(21, array("q", bytes(200))))
