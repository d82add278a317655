# Continuations in staged code, once and several times. Strict: all of it is compiled.
#@ reference snekpy: CPython cannot run the rest of a computation twice
from snekpy import reset, shift
from support import show


def twice(k):
    return k(1) + k(10)


def plain(x):
    return reset(lambda: x + shift(lambda k: k(2 * x)))


def several(x):
    return reset(lambda: x * shift(twice) + shift(twice))


def thrown_away(x):
    return reset(lambda: 1 // 0 + shift(lambda k: x)) if x > 5 else reset(lambda: shift(lambda k: x) + [])


def branches(x):
    def run():
        if x > 2:
            y = shift(lambda k: k(x * 2) + k(x))
        else:
            y = shift(lambda k: k(1) - k(x))
        return y * 2 if y > 5 else y + 1

    return reset(run)


def unrolled(x):
    def run():
        total, seen = 0, []
        for i in (1, 2, 3):
            total += shift(lambda k: k(x * i))
            seen.append(total)
        return total, seen

    return reset(run)


def pairs(x):
    def run():
        a = shift(twice)
        b = shift(lambda k: [*k(a * x), *k(x)])
        return [(a, b)]

    return reset(lambda: reset(run)[0])


def many_resets(n):
    total = 0
    for i in range(n):
        total += reset(lambda: 1 + shift(lambda k: k(i) * k(2)))
    return total


def effects(x):
    def run():
        print("begins", x)
        v = shift(lambda k: (print("takes"), k(1), print("again"), k(x))[1::2])
        print("ends", v)
        return v + 1

    return reset(run)


def variables(x):
    shared = []

    def run():
        count = x
        for i in range(2):
            count += shift(twice_in_lists)
            shared.append(count)
        return [(count, len(shared))]

    return reset(run)


def twice_in_lists(k):
    return k(1) + k(10)


def captured(x):
    def run():
        count = x

        def add(n):
            nonlocal count
            count += n
            return count

        return add(shift(twice))

    return reset(run)


def later(x):
    kept = []
    reset(lambda: x - shift(lambda k: kept.append(k)))
    return kept[0](2) * kept[0](x + 1)


def exceptions(x):
    def careful(k):
        results = []
        for i in (0, 1, x):
            try:
                results.append(k(i))
            except ZeroDivisionError:
                results.append("none")
        return results

    return reset(lambda: 10 // shift(careful))


def finishes(x):
    log = []

    def run():
        try:
            return 10 // shift(lambda k: k(x))
        finally:
            log.append("done")

    return reset(run), log


class Number:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        if not isinstance(other, Number):
            return NotImplemented
        return shift(lambda k: k(Number(self.value + other.value)))

    def __radd__(self, other):
        return Number(shift(lambda k: k(other)) + self.value)

    def __lt__(self, other):
        return shift(lambda k: k(self.value < other.value))

    def __enter__(self):
        return shift(lambda k: k(self.value))

    def __exit__(self, *info):
        shift(lambda k: k(None))

    def __call__(self, x):
        return shift(lambda k: k(self.value * x))


def operators(x):
    def run():
        a, b = Number(x), Number(2)
        c = 1 + (a + b)
        with c as value:
            return value, a < b, c(x)

    return reset(run)


def nested(x):
    def run():
        inner = reset(lambda: 10 * shift(lambda k: k(x) + k(1)))
        return inner + shift(lambda k: k(inner) - 1)

    return reset(run)


def recursive(x):
    def walk(n):
        return shift(twice) * x if n == 0 else n + walk(n - 1)

    return reset(lambda: walk(3))


for function in (
    plain, several, branches, unrolled, captured, later, exceptions, finishes, operators, nested, recursive
):
    show(function, 3, 1.5, 2, strict=True)
# What it prints cannot be landed on in the middle of a `reset`: it runs as plain Python.
show(effects, 3, 1.5, 2)
show(many_resets, 0, 1, 10, strict=True)
show(exceptions, 0, strict=True)
show(finishes, 0, strict=True)
