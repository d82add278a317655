# Long lists of the world with items of several kinds, indexed where only the code knows: tokens, texts, objects, numbers
# among others. They are handed on, and what becomes of them between calls and inside is seen.
import random

from snekpy import stage

TOKENS = [("num", i % 7) if i % 2 == 0 else ("op", "+-*"[i // 2 % 3]) for i in range(301)]
WORDS = [f"word{i}" for i in range(200)]
MIXED = [i if i % 3 else f"t{i}" for i in range(150)]
NAMES = tuple(f"n{i * i}" for i in range(180))


class Cursor:
    def __init__(self):
        self.pos = 0

    def peek(self):
        return TOKENS[self.pos] if self.pos < len(TOKENS) else ("end", None)

    def next(self):
        token = self.peek()
        self.pos += 1
        return token


@stage
def evaluate(cursor):
    value = cursor.next()[1]
    while cursor.peek()[0] == "op":
        op, right = cursor.next()[1], cursor.next()[1]
        if op == "+":
            value += right
        elif op == "-":
            value -= right
        else:
            value = value * right % 1009
    return value, cursor.pos


@stage
def joined(n, step):
    text, i = "", 0
    for _ in range(n):
        text += WORDS[i % len(WORDS)][-1]
        i += step
    return text


@stage
def same(n):
    found = 0
    for i in range(n):
        if NAMES[i] is NAMES[-180 + i] and NAMES[i] == f"n{i * i}":
            found += 1
    return found


@stage
def counted(n):
    numbers, texts = 0, []
    for i in range(n):
        item = MIXED[i]
        if isinstance(item, int):
            numbers += item
        else:
            texts.append(item)
    return numbers, len(texts), texts[-1:]


@stage
def outside(n):
    total = 0
    try:
        for i in range(n):
            total += len(WORDS[i * 50])
    except IndexError as error:
        return total, str(error)
    return total


@stage
def changes(n):
    for i in range(n):
        if i == n // 2:
            WORDS[i] = "changed!"
        if WORDS[i].endswith("!"):
            return i, WORDS[i]
    return None


# Objects of several classes, others at each call and in another order.
class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3 * self.r * self.r


class Square(Circle):
    def area(self):
        return self.r * self.r


class Line:
    r = 0

    def area(self):
        return 0


@stage
def total_area(shapes):
    return sum(shape.area() for shape in shapes)


# The generator's own method is a native one behind `super()`.
@stage
def seeded(seed, n):
    random.seed(seed)
    total = 0.0
    for _ in range(n):
        total += random.random()
    return total


for k in range(4):
    print("evaluate", evaluate(Cursor()))
    print("joined", joined(60 + k, 7))
    print("same", same(180))
    print("counted", counted(150 - k))
    print("outside", outside(3 + 2 * k))
    print("changes", changes(20 + 20 * k))
    print("area", total_area([(Circle, Square, Line)[(i + k) % 3](i) if i % 3 != (2 - k) % 3 else Line() for i in range(40)]))
    print("seeded", seeded(k, 50), random.random())
    TOKENS[4 + 2 * k] = ("num", 1000 + k)
    WORDS[3 * k] = f"x{k}"
    MIXED.append(k)
print("evaluate", evaluate(Cursor()))
del TOKENS[151:]
print("evaluate", evaluate(Cursor()))
