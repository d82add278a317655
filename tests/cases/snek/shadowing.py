# The Snek paper, 4.2: a name that means something else inside, which Snek assumes absent.
from snekpy import lms, stage


@lms
def f(x):
    y = x + 1

    def inner(y):
        x = y * 2
        return x + y

    for x in range(3):
        y = y + inner(x)
    return x, y


staged = stage(f)
print(staged(3), staged(0.5))
