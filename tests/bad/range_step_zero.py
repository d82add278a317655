# A range with step zero.
from snekpy import stage


@stage
def walk(n, step):
    s = 0
    for i in range(0, n, step):
        s += i
    return s


print(walk(10, 3))
print(walk(10, 0))
