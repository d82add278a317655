# Methods that are staged themselves are methods in staged code: called, as operators, in loops, in `with`, as properties.
import dataclasses

from snekpy import rep_fun, stage


class Vec:
    @stage
    def __init__(self, x, y=1.0):
        self.x = x
        self.y = y

    @stage
    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    @stage
    def dot(self, other):
        return self.x * other.x + self.y * other.y

    @rep_fun
    def scaled(self, by):
        return Vec(self.x * by, self.y * by)

    @property
    @stage
    def norm(self):
        return (self.x * self.x + self.y * self.y) ** 0.5

    @staticmethod
    @stage
    def twice(a):
        return a + a

    @classmethod
    @stage
    def unit(cls, at):
        return cls(1.0 * at, 0.0)

    @stage
    def __getitem__(self, at):
        return self.x if at == 0 else self.y

    @stage
    def __iter__(self):
        yield self.x
        yield self.y

    @stage
    def __enter__(self):
        self.x += 1
        return self

    @stage
    def __exit__(self, *error):
        self.x -= 2
        return error[0] is KeyError

    @stage
    def __call__(self, by):
        return self.dot(self) * by

    @stage
    def __len__(self):
        return 2

    @stage
    def __bool__(self):
        return self.x > 0


class Longer(Vec):
    @stage
    def __init__(self, x):
        super().__init__(x, 3.0)

    @stage
    def dot(self, other):
        return super().dot(other) + 1


class Odd(Exception):
    @stage
    def __init__(self, n):
        super().__init__("odd", n)
        self.n = n


@dataclasses.dataclass
class Node:
    left: object
    right: object

    @stage
    def count(self):
        if self.left is None:
            return 1
        return 1 + self.left.count() + self.right.count()


def tree(depth):
    return Node(tree(depth - 1), tree(depth - 1)) if depth else Node(None, None)


def in_a_loop(v, n):
    total = 0.0
    for i in range(n):
        total += v.dot(v) + v.norm + Vec.twice(i) + v.scaled(2.0).x + v[i % 2]
    return total


def made(x, n):
    v = Vec(x)
    for i in range(n):
        v = v + Vec.unit(i)
    return v.x, v.y, [it for it in v], v(2.0), len(v), bool(v)


def inherited(x):
    v = Longer(x)
    with v as w:
        w.y = v.dot(v)
        if x > 2:
            raise KeyError(x)
    return v.x, v.y


def raises(n):
    try:
        if n % 2:
            raise Odd(n)
        return "even"
    except Odd as error:
        return error.args, error.n


for function, arguments in [
    (in_a_loop, [(Vec(1.0, 2.0), 5), (Longer(2.0), 4), (Vec(3, 4), 3)]),
    (made, [(1.0, 3), (2.5, 0), (-7.0, 2)]),
    (inherited, [(1.0,), (3.0,), (2,)]),
    (raises, [(1,), (2,), (3,)]),
    (Node.count, [(tree(2),), (tree(0),), (tree(3),)]),
]:
    staged = stage(function)
    for given in arguments:
        print(function.__name__, staged(*given))
