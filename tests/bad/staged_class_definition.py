# A class defined under a staged condition.
from snekpy import stage


@stage(strict=True)
def make(x):
    if x > 0:
        class Made:
            value = x

        return Made.value
    return 0


print(make(3))
