# H05: dictionary and set comprehensions.
from support import show


def staged_values(x):
    return {k: x * k for k in range(3)}, {name: x for name in ("a", "b", "a")}


def with_condition(x, y):
    return {k: v for k, v in (("x", x), ("y", y), ("s", x + y)) if v > 0}


def staged_keys(x, y):
    return {v: i for i, v in enumerate((x, y, 1))}


def inverted(x):
    d = {"a": x, "b": 2}
    return {v: k for k, v in d.items()}, {k + k: v for k, v in d.items()}


def unknown_length(n):
    return {i: i * i for i in range(n)}, len({i // 2 for i in range(n)})


def nested(x):
    return {i: {j: i * j + x for j in range(2)} for i in range(2)}, x


show(staged_values, 2, 0.5)
show(with_condition, (1, 2), (-1, 2), (1, -2), (-1, -1), (0.5, -0.5))
show(staged_keys, (5, 6), (5, 5), (1, 1), (1.0, True))
show(inverted, 1, 2, 0.5)
show(unknown_length, 4, 0, 1)
show(nested, 1, 0.5)
