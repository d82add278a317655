# J08: a class with operators and staged fields.
from snekpy import stage


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __lt__(self, other):
        return self.x < other.x

    def __getitem__(self, i):
        return self.x if i == 0 else self.y


@stage
def f(x, y):
    a, b = Vector(x, y), Vector(1, 2)
    c = a + b
    return c[0], c[1], a < b


print(f(1, 2), f(0.5, 3), f(-1, 1))
