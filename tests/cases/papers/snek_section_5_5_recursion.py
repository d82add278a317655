# Snek, section 5.5: a recursion on a staged number, with its result in a variable, and without, which Snek excludes.
#@ golden sexpr in_expression(2, 3)
from snekpy import lms, rep_fun, stage


@lms
@rep_fun
def in_variable(x, n):
    if n == 0:
        return 1
    else:
        ret = in_variable(x, n - 1)
        return x * ret


@lms
@rep_fun
def in_expression(x, n):
    if n == 0:
        return 1
    else:
        return x * in_expression(x, n - 1)


for power in (stage(in_variable), stage(in_expression)):
    print(power(2, 10), power(3, 0), power(0.5, 3), power(-2, 5))
