# A function in one arm, a number in the other, and both are added to.
from snekpy import stage


@stage
def clash(x):
    if x > 0:
        value = 1
    else:
        value = "one"
    return value + 1


print(clash(1))
print(clash(-1))
