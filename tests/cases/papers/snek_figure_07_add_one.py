# Snek, figure 7: one function for an int, for a float, and for what is known later.
#@ reference snekpy: the shim has no explicit code
from snekpy import Rep, lms, stage


@lms
def addOne(x):
    return x + 1


a = 1
b = Rep('in')
c = 2.0
print(addOne(a))
print(addOne(b))
print(addOne(c))
staged = stage(addOne)
print(staged(a), staged(c))
