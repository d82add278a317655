"""Random programs that can be differentiated, as text: the same seed gives the same program.

A program is a function `f(x, y, n)` of two floats and an int, with what it calls. It has loops whose count depends on n
and on floats, breaks, continues and returns in loops, branches, recursion, lists, lists of lists, dicts, records,
tuples, named ones, too, trees of dataclasses, exceptions that it raises and handles, with floats in them, and calls. What it computes with is bounded, so that differences make sense.
"""

import random

HEAD = """\
import math
from collections import namedtuple
from dataclasses import dataclass
from typing import Optional

Pair = namedtuple("Pair", "u v")


class Stop(Exception):
    def __init__(self, by):
        self.by = by


@dataclass
class Tree:
    value: float
    left: Optional["Tree"] = None
    right: Optional["Tree"] = None


def folded(tree, by):
    if tree is None:
        return by
    return math.tanh(tree.value * 0.5 + folded(tree.left, by) * 0.25 + folded(tree.right, by * 0.5))


class Record:
    def __init__(self, u, v):
        self.u = u
        self.v = v

    def mixed(self, t):
        return self.u * t - self.v
"""


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.names = 0
        self.features = set()

    def one(self, *choices):
        return self.rng.choice(choices)

    def fresh(self, name):
        self.names += 1
        return f"{name}{self.names}"

    def text(self):
        helpers = []
        for name in "g", "h":
            if self.rng.random() < 0.5:
                helpers.append(self.helper(name))
        self.has_recursion = self.rng.random() < 0.4
        recursion = [self.recursion()] if self.has_recursion else []
        self.helpers = [name for name in "gh" if any(text.startswith(f"def {name}(") for text in helpers)]
        lines = ["def f(x, y, n):", "    a = x", "    b = 0.5 * y", "    c = 0.25"]
        more = self.one(" + [0.1 * j * x for j in range(n)]", " + [math.sin(y + j) for j in range(n)]")
        lines += [f"    items = [x, y * 0.5, 0.75]{more}", "    p = Record(y, x * 0.5)"]
        self.holders = self.one("", "", "", "rows", "table")
        if "rows" in self.holders:
            lines += ["    rows = [[x * 0.1 * j, y] for j in range(n + 2)]"]
        if "table" in self.holders:
            lines += ["    table = {}", "    for j in range(n + 1):", "        table[j] = math.sin(x * j) + 0.1 * y"]
        body = self.block(1, self.rng.randrange(3, 8), in_loop=False, can_return=True)
        last = ["    return " + self.one("a + b * c", "a * b + c + p.u", "a + sum(items)", "b + p.v - c", "a - b + c")]
        return "\n\n\n".join([HEAD.strip()] + helpers + recursion + ["\n".join(lines + body + last)]) + "\n"

    # Functions that are called.

    def helper(self, name):
        self.helpers, self.has_recursion = [], False
        kind = self.rng.randrange(4)
        s, t = self.expr(2, ["s", "t"]), self.expr(2, ["s", "t"])
        if kind == 0:
            body = [f"    if {self.cond(['s', 't'])}:", f"        return {s}", f"    return {t}"]
        elif kind == 1:
            body = ["    total = s", "    for j in range(k):", f"        total = math.tanh(total * 0.5 + {t})"]
            body += [f"        if {self.cond(['total', 't'])}:", "            break", "    return total"]
        elif kind == 2:
            body = [f"    if {self.cond(['s', 't'])}:", "        raise ValueError", f"    return {s}"]
        else:
            body = [f"    return {s} * {t}"]
        text = "\n".join([f"def {name}(s, t, k):"] + body)
        if kind != 2:
            return text
        # One that may raise is called by one that handles it.
        inner = text.replace(f"def {name}(", f"def {name}_inner(")
        return (
            f"def {name}(s, t, k):\n    try:\n        return {name}_inner(s, t, k)\n    except ValueError:\n"
            f"        return {self.expr(1, ['s', 't'])}\n\n\n{inner}"
        )

    def recursion(self):
        self.helpers = []
        kind = self.rng.randrange(4)
        e, d = self.expr(2, ["s", "t"]), self.expr(1, ["s", "t"])
        if kind == 0:
            return f"def r(s, t, k):\n    return s if k <= 0 else math.tanh({e} + 0.5 * r({d}, t, k - 1))"
        if kind == 1:
            return (
                f"def r(s, t, k):\n    if k <= 0 or {self.cond(['s', 't'])}:\n        return {e}\n"
                f"    return r(math.sin({d}), s * 0.5, k - 1) + 0.25 * r(t * 0.5, s, k - 2)"
            )
        if kind == 2:
            return (
                f"def r(s, t, k):\n    if k <= 0:\n        return s\n    return math.tanh(q(t, {d}, k - 1) * 0.5 + s)\n\n\n"
                f"def q(s, t, k):\n    if k <= 0:\n        return t\n    return r({e}, s * 0.5, k - 1)"
            )
        return (
            "def r(s, t, k):\n    total = s\n    for j in range(k):\n"
            f"        total = math.tanh(total * 0.5 + r(t * 0.5, {d}, k - 2))\n    return total"
        )

    # Expressions.

    def expr(self, depth, names):
        if depth == 0 or self.rng.random() < 0.15:
            return self.one(*names, *names, "0.5", "1.25", "-0.75")
        e = lambda: self.expr(depth - 1, names)
        kind = self.rng.randrange(15)
        if kind < 3:
            return f"({e()} + {e()})"
        if kind == 3:
            return f"({e()} - {e()})"
        if kind < 6:
            return f"({e()} * {e()})"
        if kind == 6:
            return f"({e()} / (1.5 + math.cos({e()})))"
        if kind == 7:
            return f"math.sin({e()})"
        if kind == 8:
            return f"math.tanh({e()})"
        if kind == 9:
            return f"math.exp(math.sin({e()}))"
        if kind == 10:
            return f"math.sqrt(1.0 + math.cos({e()}) * 0.5)"
        if kind == 11:
            return self.one(f"abs({e()})", f"min({e()}, {e()})", f"max({e()}, {e()})")
        if kind == 12:
            return f"(math.sin({e()}) ** 2)"
        if kind == 13:
            return f"({e()} if {self.cond(names)} else {e()})"
        return f"math.log(1.5 + math.sin({e()}))"

    def cond(self, names):
        return f"{self.expr(1, names)} {self.one('<', '>', '<=', '>=')} {self.one('0.1', '0.4', '-0.3', self.one(*names))}"

    # Statements.

    def block(self, depth, count, in_loop, can_return):
        lines = []
        for _ in range(count):
            lines += self.statement(depth, in_loop, can_return)
        return lines

    def statement(self, depth, in_loop, can_return):
        pad = "    " * depth
        names = ["a", "b", "c", "x", "y", "p.u", "p.v"]
        e = lambda: self.expr(2, names)
        target = self.one("a", "b", "c")
        kind = self.rng.randrange(23 if depth < 3 else 12)
        if self.holders and self.rng.random() < 0.05:
            kind = 22
        if kind < 3:
            return [f"{pad}{target} = {e()}"]
        if kind == 3:
            return [f"{pad}{target} = math.tanh({target} + {e()})"]
        if kind == 4:
            return [f"{pad}a, b = b, math.sin({e()})"]
        if kind == 5:
            self.features.add("lists")
            return self.of_list(pad, target, e, in_loop)
        if kind == 6:
            self.features.add("records")
            return [pad + self.one(f"p.u = {e()}", f"p.v = math.tanh({e()})", f"{target} = p.mixed({e()})",
                                   f"p = Record(p.v * 0.5, {e()})")]
        if kind == 7 and self.helpers:
            return [f"{pad}{target} = {self.one(*self.helpers)}({e()}, {e()}, n)"]
        if kind == 8 and self.has_recursion:
            self.features.add("recursion")
            return [f"{pad}{target} = math.tanh(r({e()}, {e()}, {self.one('n', '3', 'n + 1')}))"]
        if kind == 9 and can_return and self.rng.random() < 0.5:
            self.features.add("returns in loops" if in_loop else "returns")
            return [f"{pad}if {self.cond(names)}:", f"{pad}    return {e()}"]
        if kind == 10 and in_loop:
            self.features.add("breaks")
            return [f"{pad}if {self.cond(names)}:", f"{pad}    {self.one('break', 'continue')}"]
        if kind == 11:
            return [f"{pad}{target} = {target} * 0.5 + float(int({e()})) * 0.125"]
        if kind < 15:
            self.features.add("branches")
            lines = [f"{pad}if {self.cond(names)}:"] + self.block(depth + 1, self.rng.randrange(1, 3), in_loop, can_return)
            if self.rng.random() < 0.5:
                lines += [f"{pad}else:"] + self.block(depth + 1, self.rng.randrange(1, 3), in_loop, can_return)
            return lines
        if kind < 18:
            self.features.add("loops")
            i = self.fresh("i")
            over = self.one("range(n)", "range(n)", f"range({self.one('n + 1', '3', '2 * n')})")
            lines = [f"{pad}for {i} in {over}:"] + self.block(depth + 1, self.rng.randrange(1, 3), True, can_return)
            return lines + [f"{pad}    {target} = math.tanh({target} * 0.75 + {self.one('x', 'y', f'0.1 * {i}')})"]
        if kind < 20:
            self.features.add("loops by floats")
            k = self.fresh("k")
            lines = [f"{pad}{k} = 0", f"{pad}while {target} * {target} > {self.one('0.01', '0.1')} and {k} < n + 2:"]
            lines += [f"{pad}    {k} += 1", f"{pad}    {target} = {target} * 0.5 + 0.1 * math.sin({e()})"]
            return lines + self.block(depth + 1, self.rng.randrange(0, 3), True, can_return)
        if kind == 20:
            self.features.add("exceptions")
            error, raised = self.one(
                ("ZeroDivisionError", f"{target} = {e()} / float(n - {self.rng.randrange(4)})"),
                ("ValueError", f"{target} = math.log({e()})"),
                ("ValueError", f"{target} = math.sqrt({e()})"),
                ("IndexError", f"{target} = items[n] * {e()}"),
                ("KeyError", f"if {self.cond(names)}:\n{pad}        raise KeyError"),
                ("Stop as stop", f"if {self.cond(names)}:\n{pad}        raise Stop({e()})"),
            )
            inside = self.block(depth + 1, self.rng.randrange(0, 2), in_loop, can_return)
            handled = self.block(depth + 1, self.rng.randrange(1, 3), in_loop, can_return)
            lines = [f"{pad}try:"] + inside + [f"{pad}    {raised}", f"{pad}    {target} = {e()} * 0.5"]
            if error == "Stop as stop":
                handled.append(f"{pad}    {target} = math.tanh({target} + stop.by)")
            lines += [f"{pad}except {error}:"] + handled
            if self.rng.random() < 0.3:
                lines += [f"{pad}finally:", f"{pad}    c = math.tanh(c + {e()})"]
            return lines
        if kind == 22:
            return self.of_holder(pad, target, e)
        self.features.add("lists")
        t = self.fresh("t")
        return [f"{pad}for {t} in items:", f"{pad}    {target} = math.tanh({target} + 0.5 * {t})"]

    def of_holder(self, pad, target, e):
        """What is done with a list of lists, a dict, or a list that is made here."""
        choices = []
        t = self.fresh("t")
        if "rows" in self.holders:
            choices += [
                ("rows", [f"{pad}rows[n % len(rows)][0] = {e()}"]),
                ("rows", [f"{pad}rows.append([{e()}, {e()}])"]),
                ("rows", [f"{pad}rows[0] = [{t} * 0.5 for {t} in rows[-1]]"]),
                ("rows", [f"{pad}rows[-1].append(math.sin({e()}))"]),
                ("rows", [f"{pad}{target} = math.tanh({target} + sum(rows[n % len(rows)], 0.0))"]),
                ("rows", [f"{pad}{target} = math.tanh({target} + sum([{t}[0] - {t}[-1] for {t} in rows], 0.0))"]),
            ]
        if "table" in self.holders:
            key = self.one("n", "n % 3", "0")
            choices += [
                ("dicts", [f"{pad}table[{key}] = {e()}"]),
                ("dicts", [f"{pad}{target} = table.get({key}, {e()})"]),
                ("dicts", [f"{pad}table[{key}] = math.sin(table.get({key}, {e()})) + {e()}"]),
                ("dicts", [f"{pad}{target} = math.tanh({target} + sum(table.values(), 0.0))"]),
                ("dicts", [f"{pad}{target} = math.tanh({target} + sum([table[{t}] * {t} for {t} in table], 0.0))"]),
                ("dicts", [f"{pad}{target} = table.pop({key}, 0.25) * 0.5"]),
            ]
        choices += [
            ("dicts made in loops", [
                f"{pad}for {t} in range(n):",
                f"{pad}    made = {{0: {e()}, 1: {target}}}",
                f"{pad}    made[{t} % 3] = made.get({t} % 3, {e()}) * 0.5 + {e()}",
                f"{pad}    {target} = math.tanh(sum(made.values(), 0.0) * 0.5 + made.pop(0))",
            ]),
            ("named tuples", [
                f"{pad}pair = Pair({e()}, {target})",
                f"{pad}if pair.u > pair.v:",
                f"{pad}    pair = Pair(v=pair.u * 0.5, u={e()})",
                f"{pad}{target} = math.tanh(pair.u * pair[1])",
            ]),
            ("trees", [
                f"{pad}tree = Tree({e()}, Tree({e()}), Tree({target}, None, Tree({e()})))",
                f"{pad}{target} = folded(tree, {e()})",
            ]),
            ("lists made in loops", [
                f"{pad}{target} = math.tanh({target} + sum([math.sin({e()} + 0.1 * {t}) for {t} in range(n + 2)], 0.0))",
            ]),
            ("sorting", [f"{pad}{target} = sorted(items)[n % len(items)] * 0.5 - sorted(items, reverse=True)[0] * 0.25"]),
        ]
        feature, lines = self.one(*choices)
        self.features.add(feature)
        return lines

    def of_list(self, pad, target, e, in_loop):
        return self.one(
            [f"{pad}items.append(math.tanh({e()}))"],
            [f"{pad}{target} = items[n % len(items)] * 0.5"],
            [f"{pad}items[n % len(items)] = {e()}"],
            [f"{pad}if len(items) > 1:", f"{pad}    {target} = items.pop() * 0.75"],
            [f"{pad}{target} = {target} + 0.25 * sum(items)"],
            [f"{pad}items = [t * 0.5 for t in items]"] if not in_loop else [f"{pad}items[-1] = {e()}"],
            [f"{pad}{target} = max(items) - min(items)"],
            [f"{pad}items.insert(0, math.sin({e()}))"],
        )
