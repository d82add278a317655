# The Snek paper: one function, called with what is known and with what is not.
#@ golden sexpr both(2)
from snekpy import lms, stage


@lms
def addOne(n):
    return n + 1


@stage
def both(x):
    return addOne(1), addOne(x), addOne(addOne(x))


print(addOne(1), both(0.5), both(True), both(2))
