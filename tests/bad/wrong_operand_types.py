# A number and a string are added.
from snekpy import stage


@stage
def label(x):
    return "x = " + x


print(label(1))
