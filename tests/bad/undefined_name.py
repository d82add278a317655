# A global that does not exist.
from snekpy import stage


@stage
def area(r):
    if r > 0:
        return r * r * pie
    return 0


print(area(-1))
print(area(1))
