# A variable that is assigned on one path only.
from snekpy import stage


@stage
def pick(x):
    if x > 0:
        value = 1
    return value


print(pick(1))
print(pick(-1))
