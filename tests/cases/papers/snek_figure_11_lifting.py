# Snek, figure 11 and section 3.1: both branches assign a variable that was there before.
from snekpy import lms, stage


@lms
def foo(my_int, my_bool):
    x = my_int
    cond = my_bool
    if cond:
        x = x + 1
    else:
        x = x - 1
    return x


staged = stage(foo)
for number in (0, 41, -1):
    for condition in (True, False, 2, 0.0):
        print(foo(number, condition), staged(number, condition))
