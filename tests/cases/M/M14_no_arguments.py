# M14: a staged function without arguments.
from snekpy import stage

rate = 2


@stage
def f():
    return 21 * rate


print(f(), f())
rate = 2.5
print(f())
