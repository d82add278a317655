# G12: a global that changes between the calls is seen by the next call.
from snekpy import stage

scale = 2
mode = "double"


def helper(x):
    return x + 1


def f(x):
    if mode == "double":
        return helper(x) * scale
    return helper(x) - scale


f = stage(f)
print(f(1), f(2.5))
scale = 3
print(f(1), f(2.5))
scale = 0.5
print(f(1))
mode = "subtract"
print(f(1))
mode = "double"
scale = 2


def helper(x):
    return x + 1000


print(f(1))
del scale
try:
    print(f(1))
except NameError as error:
    print(error)
