# The Snek paper's `while`: the variable is 0 before the loop and carried round by itself.
#@ golden sexpr count(5)
#@ golden ir count(5)
from snekpy import lms, stage


@lms
def count(n):
    x = 0
    while x < n:
        x = x + 1
    return x


staged = stage(count)
print(staged(5), staged(0), staged(-2), staged(1))
