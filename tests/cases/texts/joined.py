# `str.join` of a generator: what the generator does, and what is no text in it, come as in plain Python.
from snekpy import stage

LOG = []


def numbers(n, separator):
    return separator.join(str(i * i) for i in range(n))


def rows(cells):
    return "\n".join("".join("#" if cell else "." for cell in row) for row in cells)


def shown(x):
    LOG.append(x)
    return x


def with_effects(items):
    try:
        return "-".join(shown(item) for item in items)
    except TypeError as error:
        return str(error), len(LOG)


def mapped(n):
    return ",".join(map(str, range(n)))


def through_class(n):
    return str.join("+", (str(i) for i in range(n)))


def kept(n):
    join = ", ".join
    return join(f"{i}" for i in range(n) if i % 3)


class Text(str):
    def join(self, items):
        return "own " + str(list(items))


def of_derived(n):
    return Text("-").join(str(i) for i in range(n))


for function in numbers, rows, with_effects, mapped, through_class, kept, of_derived:
    globals()[function.__name__] = stage(function)

for n in 0, 1, 5, 40:
    print(numbers(n, ", "), numbers(n, ""), mapped(n), through_class(n), kept(n), of_derived(n))
for width in 3, 5:
    print(rows([[(x * y) % 3 for x in range(width)] for y in range(width)]))
for items in (["a", "b"], ["a", 1, "b"], [], ["x"], ["a", "b", None, "c"]):
    LOG.clear()
    print(with_effects(items), LOG)
