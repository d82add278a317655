# A shift by a negative number.
from snekpy import stage


@stage
def shifted(x, by):
    return x << by


print(shifted(1, 3))
print(shifted(1, -1))
