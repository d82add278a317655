# Snek, figure 13: a loop whose bound is staged is a loop in the code, and its condition is evaluated once for each test.
#@ golden sexpr staged_while(5)
from snekpy import lms, stage


@lms
def staged_while(n):
    x = 0
    while x < n:
        x = x + 1
    return x


staged = stage(staged_while)
print(staged(5), staged(0), staged(-3), staged(2.5))
