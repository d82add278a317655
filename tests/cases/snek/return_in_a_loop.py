# The Snek paper, 6.1: `return` inside a loop, which Snek excludes.
from snekpy import lms, stage


@lms
def first_divisor(n):
    d = 2
    while d * d <= n:
        if n % d == 0:
            return d
        d = d + 1
    return n


staged = stage(first_divisor)
print(staged(35), staged(13), staged(4), staged(2))
