# The Snek paper's nested `if`s: inner ones known, outer ones staged, and the other way round.
from snekpy import lms, stage


@lms
def f(x, mode):
    if mode == "square":
        if x > 10:
            return 10
        else:
            return x * x
    else:
        if x > 0:
            if mode == "negate":
                return -x
            else:
                return x
        else:
            return 0


staged = stage(f)
for mode in ("square", "negate", "same"):
    print(mode, staged(3, mode), staged(30, mode), staged(-3, mode))
