# stdlib: the classes of `collections` that are written in Python, `dataclasses` and `enum`, with staged numbers.
import collections
import copy
import dataclasses
import enum

from support import show


def counted(a, b):
    c = collections.Counter([a, b, 1])
    return c[1], c[a], sum(c.values()), c.most_common(1)[0][1]


def counter_arithmetic(x, y):
    a, b = collections.Counter(p=x, q=2), collections.Counter(p=1, q=y)
    return a + b, a - b, a & b, a | b


def counter_total(x, y):
    c = collections.Counter(p=x)
    c.update(p=y, q=1)
    c.subtract(q=y)
    return c, c.total()


def chained(x):
    maps = collections.ChainMap({"a": x}, {"a": 1, "b": x + 1})
    child = maps.new_child({"b": 0})
    return maps["a"], maps["b"], child["b"], len(child), child.get("c", x)


Point = collections.namedtuple("Point", "x y", defaults=[0])


def point(x, y):
    p = Point(x, y)
    return p, p.x + p.y, p._replace(x=y), p._asdict(), Point(x), Point._make([y, x])


class Squares(collections.UserList):
    def total(self):
        return sum(v * v for v in self)


def user_list(x):
    squares = Squares([1, 2])
    squares.append(x)
    return squares.total(), squares.data, (squares + [x]).total(), squares[-1], len(squares * 2)


class Doubled(collections.UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value * 2)


def user_dict(x):
    d = Doubled(a=x)
    d["b"] = x + 1
    return d.data, d.get("c", x), "a" in d, len(d)


@dataclasses.dataclass(order=True, frozen=True)
class Vector:
    x: float
    y: float = 1

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)


def vector(x, y):
    v = Vector(x, y)
    return v, v + Vector(1), v == Vector(1, 2), v < Vector(1, 2), dataclasses.astuple(v)


def vector_replaced(x):
    return dataclasses.replace(Vector(1, 2), y=x), dataclasses.asdict(Vector(x))


def frozen(x):
    Vector(1, 2).x = x


@dataclasses.dataclass
class Account:
    balance: int = 0
    history: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.history.append(self.balance)

    def pay(self, amount):
        if amount > self.balance:
            raise ValueError("not enough")
        self.balance -= amount
        self.history.append(-amount)


def account(balance, amount):
    a = Account(balance)
    a.pay(amount)
    return a.balance, a.history, a


class Colour(enum.IntEnum):
    RED = 1
    GREEN = 2


class Flags(enum.IntFlag):
    A = 1
    B = 2
    C = 4


def colour(x):
    return Colour(x).name, Colour.RED + x, Colour.GREEN == x, Colour.RED < x


def flags(x):
    return int(Flags(x) | Flags.A), Flags.B in Flags(x), int(Flags.C & x)


def copied(x, y):
    original = [x, [y, 2], {"k": x}]
    shallow, deep = copy.copy(original), copy.deepcopy(original)
    original[1][0] = 0
    return shallow, deep


show(counted, (1, 2), (1, 1), (2.5, 2.5), (True, 0))
show(counter_arithmetic, (1, 2), (0, 5), (-1, 3), (2.5, 0))
show(counter_total, (1, 2), (0, 0), (1.5, -1))
show(chained, 1, 0, 2.5)
show(point, (1, 2), (0, -1), (2.5, 1))
show(user_list, 3, 0, -1.5)
show(user_dict, 3, 0, -1.5)
show(vector, (1, 2), (0, 5), (1, 1.5), (2.5, -1))
show(vector_replaced, 1, 0, 2.5)
show(frozen, 1, 0, 2.5)
show(account, (10, 3), (10, 10), (1, 2.5), (0, 1))
show(colour, 1, 2, 3, 1.0)
show(flags, 0, 2, 6, 7)
show(copied, (1, 2), (0, 2.5), (-1, 0))
