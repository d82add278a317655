# M: `stage` on a method whose object is not changed.
from snekpy import stage


class Scale:
    def __init__(self, by):
        self.by = by

    @stage
    def apply(self, x):
        if x > 0:
            return x * self.by
        return x


a, b = Scale(2), Scale(0.5)
print(a.apply(3), b.apply(3), a.apply(-3))
a.by = 10
print(a.apply(3), b.apply(3))
