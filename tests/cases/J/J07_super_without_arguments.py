# J07: inheritance, `super()`, and several base classes.
from support import run, show
from snekpy import stage


class Shape:
    sides = 0

    def __init__(self, size):
        self.size = size

    def area(self):
        return 0

    def describe(self):
        return self.sides, self.area()


class Square(Shape):
    sides = 4

    def area(self):
        return self.size * self.size


class Cube(Square):
    def __init__(self, size, height):
        super().__init__(size)
        self.height = height

    def area(self):
        return super().area() * self.height

    def describe(self):
        if self.height > 1:
            return ("high",) + super().describe()
        return super(Square, self).area(), super().describe()


class Base:
    def visit(self, x):
        return [("base", x)]


class Left(Base):
    def visit(self, x):
        return [("left", x)] + super().visit(x + 1)


class Right(Base):
    def visit(self, x):
        return [("right", x)] + super().visit(x * 2)


class Both(Left, Right):
    def visit(self, x):
        return [("both", x)] + super().visit(x)


def one_class(x):
    return Square(x).describe(), Shape(x).describe()


def with_super(x, height):
    cube = Cube(x, height)
    return cube.describe(), isinstance(cube, Shape), issubclass(Cube, Square), isinstance(cube, Base)


def diamond(x):
    return Both().visit(x), [c.__name__ for c in Both.__mro__]


def chosen(x):
    shape = Square(x) if x > 2 else Cube(x, 3)
    return shape.area(), type(shape).__name__


def of_the_global(x):
    return shape.area() + x, shape.describe()


show(one_class, 3, 0.5)
show(with_super, (2, 3), (2, 1), (0.5, 2))
show(diamond, 3, 0.5)
show(chosen, 3, 2, 0.5)
shape = Square(3)
staged = stage(of_the_global)
run(of_the_global, staged, (1, 0.5))
shape = Cube(3, 2)
run(of_the_global, staged, (1, 0.5))
Square.area = lambda self: -self.size
run(of_the_global, staged, (1,))
del Cube.area
run(of_the_global, staged, (1,))
shape.__class__ = Shape
run(of_the_global, staged, (1,))
