# The Snek paper: a `for` over what is known is unrolled, over what is not becomes a loop.
from snekpy import lms, stage


@lms
def known(x):
    for i in [1, 2, 3]:
        x = x * i + 1
    return x


@lms
def unknown(n):
    x = 0
    for i in range(n):
        x = x + i
    return x


print(stage(known)(2), stage(known)(0.5))
print(stage(unknown)(5), stage(unknown)(0))
