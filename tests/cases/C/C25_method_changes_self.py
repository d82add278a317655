# C25: a method changes its object in a staged loop.
from snekpy import stage


class Counter:
    y = 0

    def change(self):
        self.y += 2


def f(c, x):
    while x > 0:
        c.change()
        x -= 1
    return c.y


f = stage(f)
c = Counter()
print(f(c, 3), c.y, f(c, 0), c.y, f(c, 1), c.y)
