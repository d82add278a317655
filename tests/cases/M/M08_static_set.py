# M08: a set as static argument.
from snekpy import Static, stage


@stage
def member(x, allowed: Static):
    return x if 3 in allowed else -x


allowed = {1, 2}
print(member(1, allowed), member(1, {3}), member(0.5, allowed))
allowed.add(3)
print(member(1, allowed), member(0.5, allowed), member(1, {4}))
