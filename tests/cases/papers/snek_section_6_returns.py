# Snek, section 6.1: `return` in one branch only, and in a loop, which Snek excludes; 6.4: a conditional expression.
from snekpy import lms, stage


@lms
def example_if(x):
    if x >= 0:
        return x
    else:
        print('negative')


@lms
def example_while(x):
    while x > 0:
        if x == 3:
            return x
        x = x - 1
    return x


@lms
def ternary(x):
    return x if x > 0 else "str"


for function in (example_if, example_while, ternary):
    staged = stage(function)
    for x in (5, 2, 0, -1, 3):
        print(function.__name__, x, function(x), staged(x))
