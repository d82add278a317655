# J10: an object is made in every iteration.
from snekpy import stage


class C:
    x = 1


@stage
def f(n):
    s = 0
    while n > 0:
        tc = C()
        tc.x += n
        s += tc.x
        n -= 1
    return s


print(f(3), f(0))
