# L11, L12: reverse-mode gradients with delimited continuations through if, while, for and recursion, and by several
# arguments; they match finite differences, and a second call gives the same.
import math

from snekpy import reset, shift, stage


class Number:
    def __init__(self, x):
        if type(x) is not float:
            raise TypeError(f"no gradient by {type(x).__name__}")
        self.x = x
        self.d = 0.0

    def __add__(self, other):
        def rest(k):
            y = Number(self.x + other.x)
            k(y)
            self.d += y.d
            other.d += y.d

        return shift(rest)

    def __mul__(self, other):
        def rest(k):
            y = Number(self.x * other.x)
            k(y)
            self.d += other.x * y.d
            other.d += self.x * y.d

        return shift(rest)


def sin(number):
    def rest(k):
        y = Number(math.sin(number.x))
        k(y)
        number.d += math.cos(number.x) * y.d

    return shift(rest)


def gradient(f):
    def derivatives(*xs):
        numbers = [Number(x) for x in xs]

        def forwards():
            f(*numbers).d = 1.0

        reset(forwards)
        return tuple(number.d for number in numbers)

    return derivatives


def value(f, *xs):
    found = []
    reset(lambda: found.append(f(*[Number(x) for x in xs]).x))
    return found[0]


def piecewise(x):
    if x.x > 1.0:
        return x * x
    elif x.x > 0.0:
        return sin(x)
    return x


def power(x):
    y = Number(1.0)
    for _ in range(5):
        y = y * x
    return y


def doubled_until_large(x):
    y = x
    while y.x < 10.0:
        y = y + y
    return y


def nested(x, y):
    total = Number(0.0)
    for i in range(3):
        if i % 2 == 0 and x.x > y.x:
            total = total + x * y
        else:
            total = total + sin(x)
    return total


class Tree:
    def __init__(self, leaf=None, left=None, right=None):
        self.leaf, self.left, self.right = leaf, left, right


TREE = Tree(left=Tree(0.5), right=Tree(left=Tree(1.5), right=Tree(left=Tree(2.0), right=Tree(0.25))))


def tree_product(x, tree):
    if tree.leaf is not None:
        return x * Number(tree.leaf)
    return tree_product(x, tree.left) * tree_product(x, tree.right)


def of_tree(x):
    return tree_product(x, TREE)


def unused(x, y):
    return x * x


def show(f, *xs):
    found = stage(gradient(f))
    first, second = found(*xs), found(*xs)
    assert first == second, (f.__name__, first, second)
    h = 1e-6
    for index, derivative in enumerate(first):
        moved = [value(f, *xs[:index], xs[index] + by, *xs[index + 1 :]) for by in (h, -h)]
        slope = (moved[0] - moved[1]) / (2 * h)
        assert abs(slope - derivative) < 1e-6 * max(1.0, abs(slope)), (f.__name__, slope, derivative)
    print(f.__name__, xs, [round(it, 9) for it in first])


for x in (2.5, 0.5, -1.0):
    show(piecewise, x)
for f in (power, doubled_until_large, of_tree):
    show(f, 1.3)
    show(f, 0.75)
show(nested, 1.5, 0.5)
show(nested, 0.5, 1.5)
show(unused, 3.0, 4.0)
try:
    stage(gradient(unused))(3.0, 4)
except TypeError as error:
    print("TypeError:", error)
