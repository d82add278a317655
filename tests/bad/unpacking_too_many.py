# A tuple of three is unpacked into two names.
from snekpy import stage


@stage
def first(pair):
    a, b = pair
    return a


print(first((1, 2)))
print(first((1, 2, 3)))
