# The Snek paper, 6: an inner function reads what the outer one changes.
from snekpy import lms, stage


@lms
def f(n):
    total = 0

    def scaled(v):
        return v * n + total

    i = 0
    while i < n:
        total = scaled(i)
        i = i + 1
    return total


staged = stage(f)
print(staged(3), staged(0), staged(5))
