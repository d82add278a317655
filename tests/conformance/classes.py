# Inheritance, properties, special methods.
class Vector:
    count = 0

    def __init__(self, x, y):
        self.x, self.y = x, y
        Vector.count += 1

    def __repr__(self):
        return f"Vector({self.x}, {self.y})"

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k) if isinstance(k, int) else NotImplemented

    __rmul__ = __mul__

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __bool__(self):
        return bool(self.x or self.y)

    def __call__(self, k):
        return self * k

    @property
    def size(self):
        return (self.x**2 + self.y**2) ** 0.5

    @size.setter
    def size(self, value):
        self.x = value

    @classmethod
    def zero(cls):
        return cls(0, 0)

    @staticmethod
    def name():
        return "vector"


v = Vector(3, 4)
print(v + v, 2 * v, v(3), v.size, v == Vector(3, 4), len({v, Vector(3, 4)}), list(v), bool(Vector.zero()), Vector.name())
v.size = 6
print(v, Vector.count, v.__class__.__name__, hasattr(v, "z"), getattr(v, "z", None))
try:
    v * 1.5
except TypeError as error:
    print(error)


class A:
    def who(self):
        return ["A"]


class B(A):
    def who(self):
        return ["B"] + super().who()


class C(A):
    def who(self):
        return ["C"] + super().who()


class D(B, C):
    def who(self):
        return ["D"] + super().who()


print(D().who(), [c.__name__ for c in D.__mro__], isinstance(D(), A), issubclass(B, C))


class Slots:
    __slots__ = ("a",)


try:
    Slots().b = 1
except AttributeError:
    print("no b")


class Lazy:
    def __getattr__(self, name):
        return name * 2


class Meta(type):
    def __new__(cls, name, bases, space, **options):
        space["options"] = options
        return super().__new__(cls, name, bases, space)


class Made(metaclass=Meta, color="red"):
    pass


class Base:
    def __init_subclass__(cls, tag=None):
        cls.tag = tag


class Tagged(Base, tag=7):
    pass


print(Lazy().ab, Made.options, Tagged.tag, type("T", (A,), {"n": 1})().n)
