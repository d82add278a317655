# J11: a call gives its arguments new attributes, and takes some away: which ones they are, and in which order.
from snekpy import stage


class Box:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def in_one_arm(box, x):
    if x > 1:
        box.new = x
    box.other = x
    if x > 2:
        del box.other


def in_another_order(box, x):
    if x > 1:
        box.a = x
        box.z = 1
    else:
        box.z = 2
        box.a = x


def in_a_loop(box, n):
    for i in range(n):
        box.last = i
    return box.last if n > 0 else None


class Keeper:
    def remember(self, x):
        if x > 0:
            self.largest = x if x > 1 else 1
        self.count = 1
        return self.count


def through_a_method(keeper, x):
    return keeper.remember(x) + keeper.remember(x)


def two(box, other, x):
    box.m = x
    other.m = x + 1
    return box.m, other.m, box is other


for function in (in_one_arm, in_another_order, in_a_loop):
    staged = stage(function, strict="leave")
    kept = Box(other=1)
    for box, x in ((Box(), 1), (Box(), 2), (Box(), 3), (Box(new=5), 2), (kept, 3), (kept, 2.5), (kept, 3), (Box(a=0), 0)):
        if not (function is in_a_loop and x == 2.5):
            print(function.__name__, x, staged(box, x), vars(box))
staged = stage(through_a_method, strict="leave")
keeper = Keeper()
for x in (0, 2, 0.5, 3):
    print(staged(keeper, x), vars(keeper), staged(Keeper(), x))
staged = stage(two, strict="leave")
same = Box()
for box, other in ((Box(), Box()), (same, same), (same, Box(m=0)), (Box(), same)):
    print(staged(box, other, 1), vars(box), vars(other))
