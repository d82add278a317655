# The Snek paper, 6.4: a conditional expression, which Snek excludes.
from snekpy import lms, stage


@lms
def f(x):
    return x if x > 0 else -x * 2


staged = stage(f)
print(staged(3), staged(-3), staged(0), staged(0.5))
