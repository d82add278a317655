# Operators that call methods of classes written in Python. Strict: all of it is compiled.
from support import show


class V:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        if not isinstance(other, V):
            return NotImplemented
        return V(self.x + other.x, self.y + other.y)

    def __radd__(self, other):
        return V(other + self.x, other + self.y)

    def __mul__(self, k):
        return V(self.x * k, self.y * k)

    def __rmul__(self, k):
        return V(k * self.x, k * self.y)

    def __iadd__(self, other):
        self.x += other.x
        return self

    def __neg__(self):
        return V(-self.x, -self.y)

    def __invert__(self):
        return V(self.y, self.x)

    def __eq__(self, other):
        if not isinstance(other, V):
            return NotImplemented
        return self.x == other.x and self.y == other.y

    def __lt__(self, other):
        return self.x < other.x

    def __le__(self, other):
        return NotImplemented

    def __len__(self):
        return self.x

    def __getitem__(self, i):
        return self.x if i == 0 else self.y

    def __setitem__(self, i, value):
        if i == 0:
            self.x = value
        else:
            self.y = value

    def __delitem__(self, i):
        self[i] = 0

    def __call__(self, k, *, more=0):
        return self.x * k + more

    def __bool__(self):
        return self.x > 0

    def __contains__(self, value):
        return value == self.x or value == self.y

    def __abs__(self):
        return abs(self.x) + abs(self.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __repr__(self):
        return f"V({self.x}, {self.y})"

    @property
    def norm(self):
        return self.x * self.x + self.y * self.y

    @norm.setter
    def norm(self, value):
        self.x = value
        self.y = 0

    __hash__ = None


class W(V):
    def __radd__(self, other):
        return W(100, other.x)

    def __gt__(self, other):
        return 2


def arithmetic(a, b):
    v = V(a, b) + V(1, 2)
    w = 3 * v * 2
    u = -w
    return (v.x, v.y, w.x, w.y, u.x, (~u).x, v @ w, abs(u), sum([v, w], 0).x)


def reflected(a):
    v = 5 + V(a, 1)
    w = V(a, 2) + W(1, 1)
    return v.x, v.y, w.x, w.y, type(w).__name__


def in_place(a):
    v = V(a, a)
    same = v
    v += V(1, 1)
    v *= 2
    return v.x, v is same, same.x


def compared(a, b):
    v, w = V(a, 1), V(b, 1)
    return v == w, v != w, v < w, v > w, v == 3, v != None, V(1, 1) < W(a, 2), v in [w], v is w  # noqa


def refused(a):
    return V(a, 1) <= V(1, 1)


def unsupported(a):
    return V(a, 1) - a


def unsupported_reflected(a):
    return a - V(a, 1)


def items(a):
    v = V(a, 7)
    v[1] = v[0] * 2
    v[0] += 5
    del v[1]
    return v[0], v[1], v.x, 7 in v, a + 5 in v, 8 not in v


def truth(a):
    v = V(a, 1)
    return 1 if v else 2, not v, bool(v), v and 3, len(v)


def called(a):
    v = V(a, 1)
    return v(3), v(a, more=2)


def properties(a):
    v = V(a, 2)
    before = v.norm
    v.norm = before + 1
    v.norm -= 1
    return before, v.norm, v.x


def text(a):
    v = V(a, 1)
    return f"{v} {v!r} {v!s}", str(v), repr(v)


def loop(n):
    total = V(0, 0)
    for i in range(n):
        total = total + V(i, 1) * i
    return total.x, total.y


def on_one_path(a, b):
    v = V(a, b)
    if a > b:
        v = v + v
    else:
        v += v
    return v.x, v.y


class Dual:
    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other, 0.0)
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    __rmul__ = __mul__


def slope(x, n):
    x = Dual(x, 1.0)
    power = 1.0
    for _ in range(n):
        power = power * x + 2.0
    return (power.value, power.slope) if isinstance(power, Dual) else power


for function in (reflected, in_place, refused, unsupported, unsupported_reflected, items, called, properties, text, loop):
    show(function, 2, 0, -3, strict=True)
show(truth, 2, 0, strict=True)
show(truth, -3)
show(arithmetic, (1, 2), (-1, 0), strict=True)
show(compared, (1, 2), (2, 2), (3, 1), strict=True)
show(on_one_path, (1, 2), (3, 1), strict=True)
show(slope, (2.0, 3), (0.5, 0), strict=True)


def chosen(a, b):
    items = [V(a, 1), V(b, 2), V(3, 3)]
    best = max(items, key=lambda it: it.x)
    return best.y, min(items).y, min(items, key=abs).y, sum(items).x, V(b, 2) in items, V(9, 9) not in items


show(chosen, (1, 2), (5, 5), (4, -1), strict=True)
