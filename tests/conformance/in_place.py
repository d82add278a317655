# An in-place operator that has met numbers a thousand times changes a list in place, wherever its code comes from.
import array
import collections
import copy
import functools
import importlib
import importlib.util
import marshal
import os
import runpy
import sys
import tempfile
import threading
import types

RUNS = 200


class Own:
    def __init__(self):
        self.log = []

    def __add__(self, other):
        return "added"

    __sub__ = __mul__ = __add__

    def __iadd__(self, other):
        self.log.append(("iadd", other))
        return self

    def __isub__(self, other):
        self.log.append(("isub", other))
        return self

    def __imul__(self, other):
        self.log.append(("imul", other))
        return self

    def __repr__(self):
        return f"Own({self.log})"


class Floating(float):
    def __iadd__(self, other):
        return ("iadd", float(self), other)


class Numbered(int):
    def __add__(self, other):
        return ("add", int(self), other)


class Lettered(str):
    def __add__(self, other):
        return ("add", str(self), other)


WARM = {
    "ints": (3, 4),
    "floats": (3.5, 4.25),
    "texts": ("a", "b"),
    "mixed": (3, 4.5),
    "large": (10**30, 10**20),
}

LATER = {
    "+=": lambda: [
        ([1], [2]),
        ([1], (2, 3)),
        (bytearray(b"a"), b"b"),
        (collections.deque([1]), [2]),
        (collections.Counter("a"), collections.Counter("ab")),
        (array.array("i", [1]), array.array("i", [2])),
        (Own(), 5),
        ((1,), (2,)),
        ("x", "y"),
        (b"x", b"y"),
        (1, 2),
        (1.5, 2),
        (1.5, 2.5),
        (True, True),
        (1j, 2),
        (Floating(1.5), 2.5),
        (Numbered(1), 2),
        (Lettered("a"), "b"),
        (1, Numbered(1)),
        (2**62, 2**62),
        (1.0, "a"),
        ("a", 1.0),
    ],
    "-=": lambda: [
        ({1, 2}, {2}),
        (collections.Counter("aab"), collections.Counter("a")),
        (Own(), 5),
        (frozenset([1, 2]), {2}),
        (1, 2),
        (1.5, 2.5),
        (-(2**63), 1),
    ],
    "*=": lambda: [
        ([1], 2),
        (bytearray(b"a"), 3),
        (collections.deque([1]), 2),
        (array.array("i", [1]), 2),
        (Own(), 5),
        ("ab", 2),
        (2, "ab"),
        ((1,), 2),
        (2**40, 2**40),
        (1.5, 2.5),
    ],
}


def show(value):
    return f"{type(value).__name__} {value!r}"


def outcome(a, b, change):
    """What a change gives, and whether that is the object that was changed."""
    try:
        first = copy.copy(a) if isinstance(a, Own) else copy.deepcopy(a)
        result = change(first, b)
        return f"{result is first} {show(result)} {show(first)}"
    except Exception as e:
        return type(e).__name__


TARGETS = """
def local(a, b):
    a {op} b
    return a

def item(a, b):
    d = {{"k": a}}
    d["k"] {op} b
    return d["k"]

class Place:
    pass

def attribute(a, b):
    o = Place()
    o.x = a
    o.x {op} b
    return o.x

def global_(a, b):
    global g
    g = a
    g {op} b
    return g

def cell(a, b):
    def inner():
        nonlocal a
        a {op} b
    inner()
    return a

def generator(a, b):
    def inner(a):
        a {op} b
        yield a
    return next(inner(a))

def in_class(a, b):
    class Body:
        x = a
        x {op} b
    return Body.x

def comprehended(a, b):
    def change(x):
        x {op} b
        return x
    return [change(x) for x in [a]][0]

TARGETS = {{
    "local": local, "item": item, "attribute": attribute, "global": global_, "cell": cell, "generator": generator,
    "class": in_class, "comprehension": comprehended,
}}
"""


def all_kinds():
    for op, later in LATER.items():
        outcomes = collections.defaultdict(list)
        for warm, (x, y) in WARM.items():
            space = {"__name__": "targets"}
            exec(TARGETS.format(op=op), space)
            for name, change in space["TARGETS"].items():
                for _ in range(RUNS):
                    outcome(x, y, change)
                for at, (a, b) in enumerate(later()):
                    outcomes[at, outcome(a, b, change)].append((warm, name))
        for (_, text), where in sorted(outcomes.items()):
            everywhere = len(where) == len(WARM) * len(space["TARGETS"])
            print(op, text, "" if everywhere else where)


SOURCE = "def change(a, b):\n    a += b\n    return a\n"


def holds(change):
    for _ in range(RUNS):
        change(1, 2)
    a = [1]
    return change(a, [2]) is a and a == [1, 2]


def by_exec(source):
    space = {}
    exec(source, space)
    return space["change"]


def by_exec_bytes():
    space = {}
    exec(SOURCE.encode(), space)
    return space["change"]


def by_module(name, folder):
    sys.path.insert(0, folder)
    try:
        importlib.invalidate_caches()
        sys.modules.pop(name, None)
        return importlib.import_module(name).change
    finally:
        sys.path.remove(folder)


def ways():
    yield "def", functools.partial(lambda f: f, by_exec(SOURCE))
    yield "exec", lambda: by_exec(SOURCE)
    yield "exec of bytes", by_exec_bytes
    yield "exec of code", lambda: by_exec(compile(SOURCE, "x", "exec"))
    yield "exec of a tree", lambda: by_exec(compile(__import__("ast").parse(SOURCE), "x", "exec"))
    yield "single", lambda: by_exec(compile(SOURCE, "x", "single"))
    yield "marshal", lambda: by_exec(marshal.loads(marshal.dumps(compile(SOURCE, "x", "exec"))))

    def in_container():
        [code] = marshal.loads(marshal.dumps([by_exec(SOURCE).__code__]))
        return types.FunctionType(code, {})

    yield "marshal in a list", in_container
    yield "replace", lambda: types.FunctionType(by_exec(SOURCE).__code__.replace(co_name="other"), {})

    def copied():
        code = by_exec(SOURCE).__code__
        return types.FunctionType(code.replace(co_consts=code.co_consts + (1,)), {})

    yield "replace of constants", copied

    def exchanged():
        def change(a, b):
            return None

        change.__code__ = by_exec(SOURCE).__code__.replace(co_firstlineno=7)
        return change

    yield "__code__", exchanged

    def after_runs():
        change = by_exec(SOURCE)
        for _ in range(RUNS):
            change(1, 2)
        return types.FunctionType(change.__code__.replace(), {})

    yield "replace of code that has run", after_runs

    def evaluated():
        return eval("(lambda f: lambda a, b: f(a, b))(f)", {"f": by_exec(SOURCE)})

    yield "eval", evaluated
    yield "eval of code", lambda: eval(compile("[change for _ in [0]][0]", "x", "eval"), {"change": by_exec(SOURCE)})

    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "way_of_source.py"), "w") as file:
            file.write(SOURCE)
        yield "import", lambda: by_module("way_of_source", folder)
        yield "import again", lambda: by_module("way_of_source", folder)
        path = os.path.join(folder, "way_of_source.py")
        yield "runpy", lambda: runpy.run_path(path)["change"]

        def by_spec():
            spec = importlib.util.spec_from_file_location("by_spec", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module.change

        yield "spec", by_spec

    def traced():
        change = by_exec(SOURCE)
        for _ in range(3):
            sys.settrace(lambda *args: None)
            change(1, 2)
            sys.settrace(None)
            sys.setprofile(lambda *args: None)
            change(1, 2)
            sys.setprofile(None)
        return change

    yield "traced", traced

    def in_thread():
        found = []
        thread = threading.Thread(target=lambda: found.append(holds(by_exec(SOURCE))))
        thread.start()
        thread.join()
        change = by_exec(SOURCE)
        threads = [threading.Thread(target=lambda: [change(1, 2) for _ in range(RUNS)]) for _ in range(4)]
        for it in threads:
            it.start()
        for it in threads:
            it.join()
        return change if found == [True] else None

    yield "threads", in_thread


def texts():
    """A text that grows where it lies is nobody else's."""

    def grow(n, more):
        text = ""
        seen = []
        for i in range(n):
            text += more
            if i % 25 == 0:
                seen.append(text)
        return len(text), [len(it) for it in seen], text[:6]

    print(grow(101, "ab"), grow(3, "é"), grow(1001, "x")[0])

    def twice(text):
        other = text
        text += text
        return other, text

    print([twice("ab" + str(i)) for i in range(5)][-1])

    def kept(text):
        box = [text]
        text += "!"
        return box[0], text

    print([kept("k" * i) for i in range(6)][-1])

    def any_type(a, b):
        a += b
        return a

    for _ in range(RUNS):
        any_type("a", "b")
    xs = [1]
    print(any_type(xs, "ab") is xs, xs, any_type(1, 2), any_type(1.5, 2), any_type((1,), (2,)))
    try:
        any_type("a", 1)
    except TypeError as e:
        print(e)


all_kinds()
for name, make in ways():
    change = make()
    print(name, holds(change))
texts()
print(types.FunctionType.__code__, hasattr(float, "__iadd__"), hasattr(str, "__iadd__"))
print("__iadd__" in dir(1.5), (1.5).__class__, holds.__code__.co_name)
try:
    holds.__code__ = 3
except TypeError:
    print("TypeError")
try:
    del holds.__code__
except (TypeError, AttributeError) as e:
    print(type(e).__name__)
