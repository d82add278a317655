# The Snek paper, 5.4: `return` in one branch only, which Snek excludes.
from snekpy import lms, stage


@lms
def f(x):
    if x > 0:
        return x
    x = x * 2
    return x * x


staged = stage(f)
print(staged(3), staged(-3), staged(0), staged(-0.5))
