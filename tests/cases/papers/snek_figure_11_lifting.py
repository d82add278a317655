# Snek, figure 11 and section 3.1: both branches assign a variable that was there before.
from snekpy import lms, stage

number = 0
condition = True


def my_int_fun():
    return number


def my_fun():
    return condition


@lms
def foo():
    # returns an integer
    x = my_int_fun()
    # returns a bool
    cond = my_fun()
    if cond:
        x = x + 1
    else:
        x = x - 1
    return x


staged = stage(foo)
for number in (0, 41, -1):
    for condition in (True, False):
        print(foo(), staged())
