# The rest of a computation, run several times: its variables are copied, objects are shared.
#@ reference snekpy: CPython cannot run the rest of a computation twice
from snekpy import reset, shift


def check(name, result, expected):
    print(name, "as by hand" if result == expected else f"{result} instead of {expected}")


check("sum", reset(lambda: 1 + shift(lambda k: k(1) + k(2))), (1 + 1) + (1 + 2))
check("inside out", reset(lambda: 2 * shift(lambda k: k(k(3)))), 2 * (2 * 3))


def both(k):
    return k("a") + k("b")


check("pairs", reset(lambda: [(shift(both), shift(both))]), [(a, b) for a in "ab" for b in "ab"])


# Variables are copied, also those that loops keep; objects are shared.
def variables():
    count, log = 0, []
    for i in range(3):
        count += shift(lambda k: k(1) + k(10) if i == 1 else k(100))
        log.append(count)
    return [(count, log, len(log))]


shared = [100, 101, 201, 110, 210]
check("variables", reset(variables), [(201, shared, 3), (210, shared, 5)])


# A variable that an inner function uses is an object of its own: it is shared.
def captured():
    count = 0

    def add(n):
        nonlocal count
        count += n
        return count

    add(shift(lambda k: k(1) + k(10)))
    return [count]


check("captured", reset(captured), [1, 11])


# The positions of loops are copied; an iterator that the program holds is shared.
def positions(make):
    seen = []
    for item in make():
        seen = seen + [item]
        if item in (2, "b", (1, "b"), (2, "b")):
            shift(lambda k: k(None) + k(None))
    return [seen]


for make in (
    lambda: [1, 2, 3, 4],
    lambda: (1, 2, 3, 4),
    lambda: range(1, 5),
    lambda: range(10**30 + 1, 10**30 + 3),
    lambda: "abc",
    lambda: reversed([3, 2, 1]),
    lambda: enumerate("abc"),
    lambda: enumerate("abc", 1),
    lambda: zip([1, 2, 3], "abc"),
    lambda: map(int, "1234"),
    lambda: filter(None, [0, 1, 2, 0, 3]),
    lambda: b"\x01\x02\x03",
):
    whole = list(make())
    twice = any(item in (2, "b", (1, "b"), (2, "b")) for item in whole)
    check("position", reset(lambda: positions(make)), [whole, whole] if twice else [whole])

held = iter([1, 2, 3, 4])
check("held", reset(lambda: positions(lambda: held)), [[1, 2, 3, 4], [1, 2]])


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


check("object", reset(lambda: positions(lambda: Countdown(4))), [[3, 2, 1, 0], [3, 2]])


# Search.
def choose(items):
    def try_all(k):
        found = []
        for item in items:
            found += k(item)
        return found

    return shift(try_all)


def fail():
    return shift(lambda k: [])


def triples(n):
    a = choose(range(1, n))
    b = choose(range(a, n))
    c = choose(range(b, n))
    if a * a + b * b != c * c:
        fail()
    return [(a, b, c)]


n = 14
by_hand = [
    (a, b, c) for a in range(1, n) for b in range(a, n) for c in range(b, n) if a * a + b * b == c * c
]
check("triples", reset(lambda: triples(n)), by_hand)


def queens(n):
    columns = ()
    for row in range(n):
        column = choose(range(n))
        for other, at in enumerate(columns):
            if at == column or abs(at - column) == row - other:
                fail()
        columns += (column,)
    return [columns]


print(len(reset(lambda: queens(6))), reset(lambda: queens(4)))


# Handlers and `finally` run for each.
def handlers():
    log = []
    try:
        try:
            raise ValueError("a")
        except ValueError as error:
            first = error
            number = shift(lambda k: [k(1), k(2), k(3)])
            if number == 2:
                raise
            if number == 3:
                raise KeyError("b")
            return number, log
    except ValueError as error:
        return error is first, log
    except KeyError as error:
        return error.__context__ is first, log
    finally:
        log.append("done")


log = ["done"] * 3
check("handlers", reset(handlers), [(1, log), (True, log), (True, log)])


class Manager:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("enter")
        return shift(lambda k: [k("a"), k("b")])

    def __exit__(self, kind, value, trace):
        self.log.append(kind and kind.__name__)
        return shift(lambda k: k(True))


def managers(log):
    with Manager(log) as name:
        if name == "b":
            raise LookupError
        return name
    return "suppressed"


log = []
check("managers", reset(lambda: managers(log)), ["a", "suppressed"])
check("managers", log, ["enter", None, "LookupError"])


# An exception goes to who called the rest.
def careful(k):
    results = []
    for value in (1, 0, 2):
        try:
            results.append(k(value))
        except ZeroDivisionError as error:
            results.append((type(error).__name__, error.__traceback__.tb_next is not None))
    return results


check("exceptions", reset(lambda: 10 // shift(careful)), [10, ("ZeroDivisionError", True), 5])

# A rest that outlives the reset, and is run from plain code.
rests = []


def outlives():
    a = shift(lambda k: rests.append(k))
    b = shift(lambda k: (rests.append(k), k)[1])
    return a, b


reset(outlives)
seconds = [rests[0](i) for i in range(2)]
check("outlives", [k(j) for k in seconds for j in "xy"], [(i, j) for i in range(2) for j in "xy"])
check("sorted", sorted([3, 1, 2], key=lambda i: seconds[0](-i)), [3, 2, 1])

# As many as one likes.
check("many", reset(lambda: shift(lambda k: sum(k(i) for i in range(1000))) * 2), 999000)


# Nested delimiters: a rest goes up to the nearest one.
def nested():
    inner = reset(lambda: [shift(lambda k: k(1) + k(2))])
    return [(inner, shift(lambda k: k("a") + k("b")))]


check("nested", reset(nested), [([1, 2], "a"), ([1, 2], "b")])

# The operators of a class, several times.
class Number:
    def __init__(self, value):
        self.value = value

    def __mul__(self, other):
        return NotImplemented


class Other(Number):
    def __rmul__(self, other):
        return shift(lambda k: k(self.value) + k(-self.value)) * other.value


check("operators", reset(lambda: [Number(2) * Other(5)]), [10, -10])
