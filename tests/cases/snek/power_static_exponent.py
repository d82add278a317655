# The Snek paper's first example: a base that is staged and an exponent that is known.
#@ golden sexpr power(2, 3)
from snekpy import Static, lms, stage


@lms
def power(b, x: Static):
    if x == 0:
        return 1
    else:
        return b * power(b, x - 1)


cube = stage(power)
print(cube(2, 3), cube(2.5, 3), cube(-1, 3), cube(2, 0))
