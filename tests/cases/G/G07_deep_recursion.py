# G07: recursion without end is a RecursionError, and the program goes on.
from snekpy import stage


def down(n):
    if n < 0:
        return 0
    return 1 + down(n + 1)


staged = stage(down)
print(staged(-5))
for n in (1, 2):
    try:
        print(staged(n))
    except RecursionError as error:
        print(type(error).__name__)
print(staged(-1))
