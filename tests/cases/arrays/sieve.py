# A sieve: an array that the function reads and writes.
from array import array

from snekpy import stage


@stage
def sieve(flags):
    count = 0
    for i in range(2, len(flags)):
        if flags[i] == 0:
            count += 1
            j = i * i
            while j < len(flags):
                flags[j] = 1
                j += i
    return count


for n in (30, 2, 1000, 0):
    flags = array("q", [0] * n)
    print(n, sieve(flags), sum(flags))
