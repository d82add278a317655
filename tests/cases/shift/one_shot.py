# The rest of a computation, taken and run once, in all places where a frame can be: among the arguments of a call,
# inside operators, loops, comprehensions, handlers and `with` blocks.
from snekpy import reset, shift

log = []


def pause(value):
    """Gives its argument, after a trip through the reset."""

    def go_on(k):
        log.append(value)
        return k(value)

    return shift(go_on)


def join(*args, **kwargs):
    return "-".join([str(arg) for arg in args] + [f"{name}={value}" for name, value in kwargs.items()])


def arguments(x):
    text = join(pause(1), x, pause(2), name=pause(3), *[pause(4), 5], **{"last": pause(6)})
    return f"{text} {pause(x):>4} {pause('a')!r}" + str({pause(7): pause(8)}) + str((pause(9), [pause(10)], {pause(11)}))


def operators(x):
    items = [0, 0, 0]
    items[pause(1)] = pause(5)
    items[pause(0)] += pause(2) * pause(3)
    a, *b = pause([1, 2, 3])
    c = a < pause(2) < pause(3) and not pause(False) or pause("no")
    return items, a, b, c, -pause(x), items[pause(0) : pause(2)], pause(1) in items, pause(None) is None


def loops(n):
    total = 0
    for i in range(n):
        if i == 1:
            continue
        for c in "ab":
            for index, item in enumerate(reversed([i, c])):
                total = total + index + pause(len(str(item)))
    while total > 3:
        total -= pause(3)
    else:
        total = pause(total) + 100
    return total


def comprehensions(xs):
    x = "kept"
    squares = [pause(x) * x for x in xs if pause(x) != 2]
    pairs = {x: pause(y) for x in xs for y in (x, x + 1)}
    return x, squares, pairs, {pause(x) for x in xs}


def unbound(xs):
    seen = [item for item in xs if pause(True)]
    try:
        return item
    except NameError as error:
        return type(error).__name__, seen


def handlers(x):
    try:
        try:
            raise ValueError(pause(x))
        except ValueError as error:
            first = error
            pause("handling")
            try:
                raise
            except ValueError as again:
                same = again is first
            try:
                raise KeyError(pause("inner"))
            except KeyError as inner:
                context = inner.__context__ is first
                return same, context, pause("returned")
    finally:
        log.append(("finally", pause("late")))


class Manager:
    def __init__(self, name):
        self.name = pause(name)

    def __enter__(self):
        return pause(self.name)

    def __exit__(self, kind, value, trace):
        log.append((self.name, kind and kind.__name__))
        return pause(self.name) == "quiet"


def managers(x):
    with Manager("loud") as a, Manager("quiet") as b:
        pause(a + b)
        raise LookupError(x)
    return pause("after")


class Number:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Number(pause(self.value) + getattr(other, "value", other))

    def __radd__(self, other):
        return Number(other + pause(self.value))

    def __lt__(self, other):
        return pause(self.value < other.value)

    def __eq__(self, other):
        return NotImplemented

    def __getitem__(self, key):
        return pause((self.value, key))

    def __neg__(self):
        return Number(-pause(self.value))

    def __call__(self, *args, **kwargs):
        return pause((self.value, args, kwargs))


def overloads(x):
    a, b = Number(x), Number(x + 1)
    c = a + b + 1
    c += 5
    d = 1 + c
    return (-d).value, a < b, b < a, a == b, a == a, a[1], a[1:2], a(1, k=2), (lambda y: y + pause(1))(x)


def closures(x):
    count = 0

    def add(n):
        nonlocal count
        count += pause(n)
        return count

    return [add(pause(i)) for i in range(x)], count


def escapes(x):
    """The rest is thrown away."""
    return 1 + shift(lambda k: ("escaped", x))


def wrapped(x):
    return shift(lambda k: ["before", k(x), "after"])


def raising(x):
    try:
        return 1 // pause(x)
    except ZeroDivisionError:
        return "caught inside"


def passing(x):
    return 1 // pause(x)


def nested(x):
    inner = reset(lambda: 10 * shift(lambda k: k(x) + k.__class__.__name__.count("#")))
    return inner + shift(lambda k: k(inner) + 1)


def in_the_function(x):
    """What `shift` calls runs under the same reset."""
    return 1 + shift(lambda k: 10 * shift(lambda j: ["j", j(k(x))]))


def recursive(n):
    return 0 if n == 0 else pause(n) + recursive(n - 1)


def matching(x):
    match pause(x):
        case [a, *rest] if pause(a) == 1:
            return "list", a, rest
        case {"key": value, **rest}:
            return "dict", pause(value), rest
        case int(n):
            return "int", pause(n)


for function, *calls in [
    (arguments, 1),
    (operators, 4),
    (loops, 3),
    (comprehensions, [1, 2, 3]),
    (unbound, [1]),
    (handlers, 1),
    (managers, 1),
    (overloads, 1),
    (closures, 3),
    (escapes, 1),
    (wrapped, 1),
    (raising, 0, 1),
    (passing, 1, 0),
    (nested, 3),
    (in_the_function, 3),
    (recursive, 5),
    (matching, [1, 2], [2], {"key": 1, "other": 2}, 5, None),
]:
    for argument in calls:
        log.clear()
        try:
            result = reset(lambda: function(argument))
        except Exception as error:
            result = type(error).__name__
        print(function.__name__, result)
        print("   ", log)

# A rest that is run when the reset has returned.
kept = []


def keep():
    x = [shift(lambda k: kept.append(k))]
    x.append(shift(lambda k: ("second", kept.append(k))))
    return x


print(reset(keep), len(kept))
print(kept[0]("first"), len(kept))
print(kept[1]("third"))


# A generator made of shift.
def generate(body):
    items = []

    def give(item):
        def go_on(k):
            items.append(item)
            return k(len(items))

        return shift(go_on)

    reset(lambda: body(give))
    return items


def numbers(give):
    for i in range(3):
        if give(i) == 2:
            give("two")


print(generate(numbers))


# State that is passed on by the rest.
def get():
    return shift(lambda k: lambda state: k(state)(state))


def put(value):
    return shift(lambda k: lambda state: k(None)(value))


def run(body, state):
    def whole():
        result = body()
        return lambda state: (result, state)

    return reset(whole)(state)


def counter():
    first = get()
    put(first + 1)
    put(get() * 10)
    return first, get()


print(run(counter, 4))
