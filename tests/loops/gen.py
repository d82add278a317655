"""Random loops over small arrays: `gen.py SEED > prog.py`.

By turns loops that read (views, rolls, rows at positions that may be outside, joins), that write in place (views of what is
passed, twice the same array), and whose gradients are taken (all of that, and products). What they print are bits.
"""

import random
import sys

SEED = int(sys.argv[1])
R = random.Random(SEED)
ROWS = R.choice([1, 2, 3, 4, 5, 8, 9, 16, 17, 33] if SEED % 3 == 0 else [2, 3, 4, 5, 8, 9, 16, 17])
COLUMNS = R.choice([1, 2, 3, 4, 7, 8, 16] if SEED % 3 == 0 else [2, 3, 4, 7, 8, 16])
IS_MATRIX = R.random() < 0.65
DTYPE = R.choice(["float64", "float64", "float32"])


def head(*names):
    """Arrays, and positions of rows and columns."""
    shape = f"({ROWS}, {COLUMNS})" if IS_MATRIX else f"({ROWS},)"
    rows = [R.randrange(-ROWS, ROWS) for _ in range(R.choice([1, 2, ROWS, 2 * ROWS]))]
    return [
        "import snekpy.numpy as np",
        f"from snekpy import {', '.join(names)}",
        "",
        "",
        f"def fill(shape, more, dtype='{DTYPE}'):",
        "    count = int(np.prod(np.array(shape)))",
        "    return (np.sin(np.arange(count) * 1.7 + more) * 1.5).astype(dtype).reshape(shape)",
        "",
        "",
        f"x0, y0 = fill({shape}, 0.3), fill({shape}, 1.1)",
        f"right, left, bias = fill(({COLUMNS}, {COLUMNS}), 0.7), fill(({ROWS}, {ROWS}), 0.9), fill(({COLUMNS},), 0.2)",
        f"some, all_rows = np.array({rows}), np.array({[R.randrange(-ROWS, ROWS) for _ in range(ROWS)]})",
        f"columns = np.array({[R.randrange(-COLUMNS, COLUMNS) for _ in range(ROWS)]})",
        f"grid = np.array({[[R.randrange(-ROWS, ROWS) for _ in range(3)] for _ in range(2)]})",
        "",
        "",
    ]


def expression(depth, more=()):
    """Of the shape of `x`; `more` are others, of what `e()` gives."""
    if depth == 0:
        return R.choice(["x", "y", "x", "z"])

    def e():
        return expression(depth - 1, more)

    every = [
        lambda: f"np.roll({e()}, {R.randrange(-4, 5)}, 0)",
        lambda: f"({e()})[all_rows]",
        lambda: f"(({e()})[some].sum(axis=0) * 0.1 + {e()})",
        lambda: f"(({e()})[grid].mean(axis=(0, 1)) * 0.1 + {e()})",
        lambda: f"np.tanh({e()})",
        lambda: f"({e()})[::-1]",
        lambda: f"np.concatenate([({e()})[1:], ({e()})[:1]])",
        lambda: f"np.where({e()} > 0.1, {e()}, {e()} * 0.25)",
        lambda: f"({e()} * 0.5 + {e()})",
        lambda: f"({e()} + np.cumsum({e()}, axis=0) * 0.1)",
        lambda: f"({e()} + np.repeat({e()}, 2, axis=0)[::2] * 0.5)",
    ]
    of_matrices = [
        lambda: f"np.roll({e()}, {R.randrange(-4, 5)}, 1)",
        lambda: f"(({e()})[np.arange({ROWS}), columns][:, None] * 0.5 + {e()})",
        lambda: f"(np.take_along_axis({e()}, columns[:, None], axis=1) * 0.5 + {e()})",
        lambda: f"({e()} - ({e()}).max(axis=1, keepdims=True))",
        lambda: f"({e()} + ({e()})[:, i % {COLUMNS}].reshape({ROWS}, 1))",
    ]
    return R.choice(every + (of_matrices if IS_MATRIX else []) + [lambda it=it: it(e) for it in more])()


def reads():
    body = [f"z = {expression(R.randrange(1, 4))}"]
    body += [f"x = ({expression(R.randrange(1, 4))}).astype('{DTYPE}') * 0.5 + 0.1" for _ in range(R.randrange(1, 3))]
    if R.random() < 0.15:
        body.append(f"if i == {R.randrange(3, 20)}: all_rows = all_rows + {R.choice([1, ROWS, 2 * ROWS])}")
    return [
        *head("stage"),
        "@stage",
        "def f(x, y, all_rows, turns, seen):",
        "    z = y",
        "    for i in range(turns):",
        *(f"        {line}" for line in [*body, "seen.append(i)"]),
        "    return x, z",
        "",
        "",
        "for _ in range(3):",
        "    seen = []",
        "    try:",
        f"        x, z = f(x0, y0, all_rows, {R.choice([1, 4, 25])}, seen)",
        "        print(x.dtype, x.shape, x.tobytes().hex()[:400], z.tobytes().hex()[:200])",
        "    except Exception as error:",
        "        print(type(error).__name__, error, error.__traceback__.tb_next.tb_lineno)",
        "    print(seen)",
    ]


def part(name):
    """A view of a matrix, and its shape."""
    row = R.choice([f"i % {ROWS}", str(R.randrange(-ROWS, ROWS)), f"(i + 1) % {ROWS}", f"-1 - i % {ROWS}"])
    column = R.choice([f"i % {COLUMNS}", str(R.randrange(-COLUMNS, COLUMNS))])
    a, c = R.randrange(ROWS), R.randrange(COLUMNS)
    b, d = R.randrange(a + 1, ROWS + 1), R.randrange(c + 1, COLUMNS + 1)
    return R.choice(
        [
            (f"{name}[:]", (ROWS, COLUMNS)),
            (f"{name}[{row}]", (COLUMNS,)),
            (f"{name}[:, {column}]", (ROWS,)),
            (f"{name}[{a}:{b}]", (b - a, COLUMNS)),
            (f"{name}[{a}:{b}, {c}:{d}]", (b - a, d - c)),
            (f"{name}[::-1, ::-1]", (ROWS, COLUMNS)),
            (f"{name}[{row}, {c}:{d}]", (d - c,)),
            (f"{name}[::2]", ((ROWS + 1) // 2, COLUMNS)),
        ]
    )


def value(shape, depth):
    """An expression of a shape, or one that is stretched to it."""
    if depth == 0:
        for _ in range(30):
            text, found = part(R.choice("xyv"))
            if found == shape:
                return text
        return f"y[:{shape[0]}, :{shape[1]}]" if len(shape) == 2 else f"y.reshape(-1)[:{shape[0]}]"

    def e():
        return value(shape, depth - 1)

    of = [f"({e()} + {e()})", f"({e()} * 0.5)", f"np.tanh({e()})", f"({e()})[::-1]", f"({e()} - {e()}.sum(axis=0))", "0.5"]
    return R.choice(of)


def writes():
    global IS_MATRIX
    IS_MATRIX = True
    body = []
    for _ in range(R.randrange(2, 6)):
        to, shape = part(R.choice("xyv"))
        if R.random() < 0.15:
            body += [f"w = {to}", "w += 1"]
        else:
            body.append(f"{to} {R.choice(['=', '=', '+=', '-=', '*='])} {value(shape, R.randrange(3))}")
    return [
        *head("stage"),
        "@stage",
        "def f(x, y, turns):",
        f"    v = {R.choice(['x', 'y', 'x[:]', 'y.copy()', 'x[::-1]'])}",
        "    for i in range(turns):",
        *(f"        {line}" for line in [*body, "x *= 0.25", "y *= 0.25"]),
        "    return x",
        "",
        "",
        "for _ in range(3):",
        "    x, y = x0.copy(), y0.copy()",
        f"    given = f(x, {R.choice(['y', 'x', 'x[::-1]', 'x[:]'])}, {R.choice([1, 5, 23])})",
        "    print(given is x, x.tobytes().hex()[:600], y.tobytes().hex()[:300])",
    ]


def gradients():
    more = [
        lambda e: f"(left @ {e()})",
        lambda e: f"(left.T @ {e()})",
        lambda e: f"({e()} * ({e()})[{R.randrange(ROWS)}])",
        lambda e: f"({e()} + ({e()})[i % {ROWS}] * 0.5)",
        lambda e: f"np.stack([({e()})[j] * 0.9 for j in range({ROWS})])",
        lambda e: f"put({e()}, {R.randrange(ROWS)}, ({e()})[{R.randrange(ROWS)}] * 0.7)",
        lambda e: f"put({e()}, all_rows, {e()})",
        lambda e: f"inner({e()}, {e()})",
    ]
    if IS_MATRIX:
        more += [
            lambda e: f"({e()} @ right)",
            lambda e: f"({e()} @ right.T)",
            lambda e: f"({e()} * ({e()} @ bias)[:, None])",
            lambda e: f"({e()} * ({e()})[:, {R.randrange(COLUMNS)}][:, None])",
            lambda e: f"(({e()} + bias) * (bias * ({e()}).sum(axis=0)))",
        ]
    body = [f"z = np.tanh({expression(R.randrange(1, 4), more)})"]
    for _ in range(R.randrange(1, 3)):
        body.append(f"x = np.tanh({expression(R.randrange(1, 3), more)}).astype('{DTYPE}') * 0.5 + 0.1")
    if R.random() < 0.5:
        body.append("total = total + (x * z).sum()")
    return [
        *head("stage", "value_and_grad"),
        "def put(x, at, value):",
        "    x = x * 1.0",
        "    x[at] = value",
        "    return x",
        "",
        "",
        "def inner(x, y):",
        "    x = x * 1.0",
        "    x[1:] += 0.3 * y[1:]",
        "    return x",
        "",
        "",
        "def f(x, y, right, left, bias, turns):",
        "    z, total = y, 0.0",
        "    for i in range(turns):",
        *(f"        {line}" for line in body),
        "    return total + (x * x).sum() + z.sum() * 0.1",
        "",
        "",
        "derivative = value_and_grad(f, argnums=(0, 1, 2, 3, 4))",
        "",
        "",
        "@stage",
        "def descend(x, y, right, left, bias, turns):",
        "    for _ in range(3):",
        "        value, grads = derivative(x, y, right, left, bias, turns)",
        "        x, right = x - 0.01 * grads[0], right - 0.01 * grads[2]",
        "    return value, x, right, *grads",
        "",
        "",
        f"for turns in (1, {R.choice([4, 9])}):",
        "    value, grads = derivative(x0, y0, right, left, bias, turns)",
        "    for it in (value, *grads, *descend(x0, y0, right, left, bias, turns)):",
        "        print(it.dtype, it.shape, it.tobytes().hex()[:160])",
    ]


print("\n".join((reads, writes, gradients)[SEED % 3]()))
