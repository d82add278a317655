# The Snek paper, 5.5: the exponent is staged too, and the recursive call stands in an expression.
#@ golden sexpr power(2, 3)
from snekpy import lms, rep_fun, stage


@lms
@rep_fun
def power(b, x):
    if x == 0:
        return 1
    else:
        return b * power(b, x - 1)


staged = stage(power)
print(staged(2, 3), staged(3, 0), staged(-2, 5), staged(7, 1))
print(power(2, 5))
