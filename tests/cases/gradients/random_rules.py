# Random programs that call functions plainly, with rules that say what their derivatives are, and by checkpoints: the
# gradients agree, first and second ones, staged and plain.
#@ reference snekpy: differences know of no rules
import math
import random

import snekpy.numpy as np
from snekpy import checkpoint, custom_jvp, custom_vjp, grad, jvp, stage

ARRAYS = {"sin": np.sin, "cos": np.cos, "tanh": np.tanh}
FLOATS = {"sin": math.sin, "cos": math.cos, "tanh": math.tanh}


def plain(m):
    sin, cos, tanh = m["sin"], m["cos"], m["tanh"]

    def one(u):
        return tanh(u) * 0.7 + 0.1

    def two(u, v):
        return sin(u) * v

    def pair(u, v):
        return u / (1.0 + v * v), cos(u * 0.5)

    return one, two, pair


def ruled(m):
    sin, cos, tanh = m["sin"], m["cos"], m["tanh"]
    one, two, pair = (custom_vjp(f) for f in plain(m))

    def one_there(u):
        return one(u), tanh(u)

    def two_there(u, v):
        return two(u, v), (u, v)

    def two_back(r, g):
        return g * cos(r[0]) * r[1], g * sin(r[0])

    def pair_there(u, v):
        return pair(u, v), {"u": u, "v": v}

    def pair_back(r, g):
        u, v = r["u"], r["v"]
        below = 1.0 + v * v
        return g[0] / below - g[1] * sin(u * 0.5) * 0.5, -g[0] * u * 2.0 * v / (below * below)

    one.defvjp(one_there, lambda y, g: (g * (1.0 - y * y) * 0.7,))
    two.defvjp(two_there, two_back)
    pair.defvjp(lambda u, v: (pair(u, v), (u, v)), lambda r, g: pair_back({"u": r[0], "v": r[1]}, g))
    return one, two, pair


def carried(m):
    sin, cos, tanh = m["sin"], m["cos"], m["tanh"]
    one, two, pair = (custom_jvp(f) for f in plain(m))
    one.defjvps(lambda t, y, u: t * (1.0 - tanh(u) * tanh(u)) * 0.7)
    two.defjvps(lambda t, y, u, v: t * cos(u) * v, lambda t, y, u, v: t * sin(u))

    @pair.defjvp
    def pair_jvp(primals, tangents):
        (u, v), (s, t) = primals, tangents
        below = 1.0 + v * v
        return pair(u, v), (s / below - t * u * 2.0 * v / (below * below), -s * sin(u * 0.5) * 0.5)

    return one, two, pair


def program(rng, arrays):
    def value():
        return rng.choice("abc")

    def statement(depth):
        pad = "    " * depth
        kind = rng.randrange(8 if depth < 2 else 5)
        target = value()
        if kind == 0:
            return [f"{pad}{target} = one({value()})"]
        if kind == 1:
            return [f"{pad}{target} = two({value()}, {value()} * 0.5)"]
        if kind == 2:
            return [f"{pad}a, {rng.choice('bc')} = pair({value()}, {value()})"]
        if kind == 3:
            return [f"{pad}{target} = {value()} * 0.9 + {value()} * {rng.choice('ab')} * 0.1"]
        if kind == 4:
            return [f"{pad}{target} = one(two({value()}, {value()})) + {rng.choice([0.25, -0.5])}"]
        test = f"({value()} * {value()}).sum() > 0.4" if arrays else f"{value()} > {value()} * 0.8"
        inner = [line for _ in range(rng.randrange(1, 4)) for line in statement(depth + 1)]
        if kind == 5:
            other = [line for _ in range(2) for line in statement(depth + 1)]
            return [f"{pad}if {test}:", *inner, f"{pad}else:", *other]
        if kind == 6:
            stop = [f"{pad}    if {test}:", f"{pad}        break"]
            return [f"{pad}for i in range(n):", *inner, *stop]
        return [f"{pad}k = n", f"{pad}while k > 0 and {test}:", *inner, f"{pad}    k -= 1"]

    lines = ["def f(a, b, n):", "    c = a * b + 0.3"]
    for _ in range(3):
        lines += statement(1)
    lines.append("    return ((a - b) * c).sum()" if arrays else "    return (a - b) * c")
    return "\n".join(lines)


def made(source, functions):
    scope = dict(zip(("one", "two", "pair"), functions))
    exec(source, scope)
    return scope["f"]


def near(a, b, tolerance=1e-9):
    return all(bool((abs(p - q) <= tolerance * (1.0 + abs(p))).all() if hasattr(p, "all") else abs(p - q) <= tolerance * (1.0 + abs(p))) for p, q in zip(a, b))


def same(a, b):
    return all(bool((p == q).all() if hasattr(p, "all") else p == q) for p, q in zip(a, b))


counts = {}
for seed in range(12):
    rng = random.Random(seed)
    arrays = seed % 3 == 2
    m = ARRAYS if arrays else FLOATS
    source = program(rng, arrays)
    args = (np.array([0.4, -0.7, 1.1]), np.array([0.9, 0.2, -0.3])) if arrays else (rng.uniform(-1, 1), rng.uniform(-1, 1))
    n = rng.randrange(1, 5)
    variants = {"plain": plain(m), "vjp": ruled(m), "jvp": carried(m), "checkpoint": tuple(checkpoint(f) for f in plain(m))}
    functions = {name: made(source, functions) for name, functions in variants.items()}
    first = {name: grad(f, argnums=(0, 1))(*args, n) for name, f in functions.items()}

    def second(f):
        def total(a, b):
            p, q = grad(f, argnums=(0, 1))(a, b, n)
            return (p * 0.3 + q * a).sum() if arrays else p * 0.3 + q * a

        return grad(total, argnums=(0, 1))(*args)

    again = {name: second(f) for name, f in functions.items()} if seed % 4 == 0 and not arrays else {}
    outcome = {
        "first": all(near(first["plain"], it) for it in first.values()),
        # In loops of floats, the products of a step are grouped by function.
        "bits of checkpoints": not arrays or same(first["plain"], first["checkpoint"]),
        "staged": same(first["vjp"], stage(lambda a, b: grad(functions["vjp"], argnums=(0, 1))(a, b, n))(*args)),
        "second": all(near(again["plain"], it, 1e-8) for it in again.values()),
        "forwards": near([jvp(lambda a, b: functions[it](a, b, n), args, args)[1] for it in ("plain", "checkpoint")], [jvp(lambda a, b: functions["jvp"](a, b, n), args, args)[1]] * 2),
    }
    for name, holds in outcome.items():
        counts[name] = counts.get(name, 0) + holds
        if not holds:
            print(seed, name, first)
            print(source)
print(counts)
