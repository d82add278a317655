# J07: an object gets another class between the calls.
from support import run
from snekpy import stage


class Square:
    sides = 4

    def area(self):
        return 9


class Triangle:
    sides = 3

    def area(self):
        return 4.5


def of_the_global(x):
    return shape.sides * x, shape.area(), isinstance(shape, Square), type(shape).__name__


def of_the_argument(shape, x):
    return shape.sides * x, shape.area(), isinstance(shape, Square), type(shape).__name__


shape = Square()
staged = stage(of_the_global)
other = stage(of_the_argument)
run(of_the_global, staged, (1, 0.5))
print(other(shape, 1))
shape.__class__ = Triangle
run(of_the_global, staged, (1, 0.5))
print(other(shape, 1))
shape.__class__ = Square
run(of_the_global, staged, (1, 0.5))
print(other(shape, 1))
