# A loop over objects of one class is called with objects of several: the call that meets the second class goes on in
# code that knows both, and later calls begin with it.
import math

from snekpy import stage


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r * self.r

    def scale(self, k):
        self.r = self.r * k


class Square:
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s * self.s

    def scale(self, k):
        self.s *= k


class Rect(Square):
    def __init__(self, a, b):
        super().__init__(a)
        self.b = b

    def area(self):
        return self.s * self.b


class Unit:
    __slots__ = ()

    def area(self):
        return 1.0

    def scale(self, k):
        pass


class Doubled(Circle):
    def area(self):
        return 2 * super().area()


class Named:
    def __init__(self, name):
        self.name = name

    @property
    def area(self):
        return lambda: float(len(self.name))

    def scale(self, k):
        self.name += "x"


class Wide(Rect):
    pass


class Fails(Circle):
    def area(self):
        if self.r > 3.0:
            raise ValueError(self.r)
        return self.r


class More(Circle):
    pass


MAKERS = [
    lambda i: Circle(i * 0.5),
    lambda i: Square(i * 0.25),
    lambda i: Rect(i, 2.0),
    lambda i: Unit(),
    lambda i: Doubled(float(i)),
    lambda i: Named("n" * (i % 5)),
    lambda i: Wide(1, i),
    lambda i: Fails(1.0),
    lambda i: More(i),
]


def make(classes, count):
    return [MAKERS[(i * i + i // 3) % classes](i) for i in range(count)]


@stage
def total(shapes):
    t = 0.0
    for s in shapes:
        t += s.area()
    return t


@stage
def grow(shapes, k):
    for s in shapes:
        s.scale(k)
    return len(shapes)


for classes in (1, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 1):
    for count in (12, 40):
        shapes = make(classes, count)
        print(classes, total(shapes), grow(shapes, 1.5), total(shapes))

# The second class comes late in a long call.
late = [Circle(1.0)] * 300 + [Square(2.0), Circle(3.0)] * 100
print(total(late), total(late))


# What raises is raised where it was, and what was done before stays.
@stage
def until(shapes, done):
    for s in shapes:
        done.append(s.area())
    return len(done)


for classes in ([Circle], [Circle, Square], [Circle, Fails, Square], [Circle, int]):
    for _ in range(3):
        shapes = [classes[i % len(classes)](float(i)) for i in range(10)]
        done = []
        try:
            print(until(shapes, done))
        except (ValueError, AttributeError) as error:
            print(type(error).__name__, error, error.__traceback__.tb_next.tb_lineno, done)


# Two objects at once, and one that is kept over iterations.
@stage
def largest(shapes, others):
    best = None
    hits = 0
    for s in shapes:
        for o in others:
            if s.area() < o.area():
                hits += 1
        if best is None or s.area() > best.area():
            best = s
    return type(best).__name__, best.area(), hits


for classes in (1, 2, 3, 5):
    for _ in range(2):
        print(largest(make(classes, 10), make(classes, 7)))


# Operators and builtins, too, by the class of what they are given.
class Bag:
    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def __setitem__(self, index, item):
        self.items[index] = item

    def __delitem__(self, index):
        self.items.append(self.items.pop(index) + 1)

    def __contains__(self, item):
        return item in self.items

    def __iter__(self):
        return iter(self.items)

    def __eq__(self, other):
        if not isinstance(other, Bag):
            return NotImplemented
        return self.items[0] == other.items[0]

    def __lt__(self, other):
        return self.items[0] < other.items[0]

    def __add__(self, other):
        return self.items[0] + other.items[0]

    def __call__(self, x, by=1):
        return self.items[0] * x + by

    def __bool__(self):
        return self.items[0] % 2 == 0

    def __str__(self):
        return f"bag {self.items[0]}"

    @staticmethod
    def unit(x):
        return x + 1

    @classmethod
    def named(cls, x):
        return len(cls.__name__) + x

    @property
    def first(self):
        return self.items[0]

    @first.setter
    def first(self, value):
        self.items[0] = value


class Sack(Bag):
    def __len__(self):
        return super().__len__() * 10

    def __eq__(self, other):
        return isinstance(other, Sack) and super().__eq__(other)

    def __radd__(self, other):
        return 1000

    def __str__(self):
        return "sack"

    @staticmethod
    def unit(x):
        return x + 2


class Bare:
    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        if self.items[0] > 6:
            raise KeyError(self.items[0])
        return 1


def bags(kinds, count):
    made = [(Bag, Sack)[(i * i + i // 2) % kinds](i % 5, i, i + 1) for i in range(count)]
    made[2].items[0] = 7
    return made


@stage
def lengths(bags):
    return sum([len(bag) + bag.unit(1) + bag.named(2) for bag in bags])


@stage
def items(bags):
    total = 0
    for bag in bags:
        bag[1] = bag[0] + bag[1]
        del bag[2]
        total += bag[1] + (3 in bag) + (bag(2) if bag else bag(3, by=4))
        for item in bag:
            total += item
        for item in bag[1:]:
            total -= item
    return total


@stage
def compared(bags, one):
    found = [0, 0, 0, 0, 0]
    for bag in bags:
        found[0] += bag == one
        found[1] += bag != bags[3]
        found[2] += bag < one
        found[3] += bag + one
        found[4] += (bag == 3) + (bag == bag)
    return found


@stage
def shown(bags):
    out = []
    for bag in bags:
        bag.first = bag.first + 1
        out.append(f"{bag}/{bag.first}")
    return ",".join(out)


for kinds in (1, 1, 2, 2, 1):
    for count in (6, 40):
        all_of_them = bags(kinds, count)
        print(lengths(all_of_them), items(all_of_them), compared(all_of_them, all_of_them[4]), shown(all_of_them)[-40:])
        print(lengths(all_of_them), items(all_of_them), compared(all_of_them, Sack(2)), shown(all_of_them)[-40:])

for count in (5, 6, 9, 9):
    try:
        print(lengths([Bag(i) if i % 2 else Bare(i) for i in range(count)]))
    except (KeyError, AttributeError) as error:
        print(type(error).__name__, error, error.__traceback__.tb_next.tb_lineno)
