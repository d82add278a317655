# C27: what a loop changes lies at the end of a path of attributes and items.
from support import run, show
from snekpy import stage


class Box:
    def __init__(self, x):
        self.x = x


class Part:
    def __init__(self):
        self.y = {"z": Box(0), 7: [Box(1), Box(2.5)]}


class Whole:
    def __init__(self):
        self.x = Part()


def made_inside(n, by):
    whole = Whole()
    i = 0
    while i < n:
        whole.x.y["z"].x += by
        if i % 2:
            whole.x.y[7][i % 2].x *= by
        else:
            whole.x.y[7][0].x -= 1
        i += 1
    boxes = whole.x.y[7]
    return whole.x.y["z"].x, boxes[0].x, boxes[1].x


outside = Whole()


def made_outside(n, by):
    i = 0
    while i < n:
        outside.x.y["z"].x += by
        i += 1
    return outside.x.y["z"].x


show(made_inside, (3, 2), (0, 2), (1, 2), (4, 0.5))
staged = stage(made_outside)
run(made_outside, staged, ((3, 2), (0, 2), (2, 0.5)))
print(outside.x.y["z"].x)
outside.x.y["z"] = Box(100)
run(made_outside, staged, ((1, 1), (0, 1)))
outside.x = Part()
run(made_outside, staged, ((1, 1),))
del outside.x.y["z"]
run(made_outside, staged, ((1, 1), (0, 1)))
