# J03: an attribute of an outside object is changed under a staged condition, and read by later calls.
from snekpy import stage


class Drop:
    def __init__(self):
        self.p = 0.5
        self.changes = 0

    @stage
    def forward(self, x, step):
        if step > 100:
            self.p = 0.25
            self.changes += 1
        if step > 200:
            self.late = step
        return x * self.p


drop = Drop()


@stage
def through_a_global(x, step):
    if step == 3:
        drop.p = x
    y = drop.p * 2
    if step > 3:
        drop.p += 1
    return y, drop.p


for x, step in ((1, 1), (2, 100), (2, 101), (4, 1), (0.5, 300), (8, 2)):
    print(drop.forward(x, step), drop.p, drop.changes, hasattr(drop, "late"))
for x, step in ((1, 1), (7, 3), (1, 1), (1, 4), (1, 4), (0.5, 3), (1, 1)):
    print(through_a_global(x, step), drop.p)
fresh = Drop()
print(fresh.forward(2, 1), fresh.forward(2, 101), fresh.forward(2, 1), drop.p)
drop = fresh
print(through_a_global(1, 1), through_a_global(5, 3), through_a_global(1, 1))
