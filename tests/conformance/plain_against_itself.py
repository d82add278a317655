"""Plain Python against itself: expressions whose value must not depend on how they come to be run.

    plain_against_itself.py [SEED COUNT [--show]]

Each expression is run (a) once, in code that has not run, with its operands as arguments, (b) with its operands as
constants, (c) in code that has run a hundred times with operands of other types, (d) while line events, a trace or a
profile function watch. What differs is printed; for every 50 expressions a digest of what they give is, which another
Python must print, too, but for what `KNOWN` names. `--show` prints what each gives.
"""

import array
import collections
import decimal
import enum
import fractions
import hashlib
import random
import re
import sys
import types
import warnings

TOOL = 4


class Plain:
    def __repr__(self):
        return "Plain()"


class Own:
    def __init__(self):
        self.seen = []

    def __repr__(self):
        return f"Own({self.seen})"

    def __eq__(self, other):
        return isinstance(other, Own)

    __hash__ = None

    def __bool__(self):
        self.seen.append("bool")
        return False

    def __len__(self):
        return 2

    def __contains__(self, item):
        return "yes"

    def __getitem__(self, at):
        if isinstance(at, int) and at > 3:
            raise IndexError(at)
        return ("item", at)

    def __index__(self):
        return 1


def _methods():
    names = "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor".split()
    for name in names:
        for prefix in ("", "r", "i"):

            def method(self, other, name=f"{prefix}{name}"):
                self.seen.append(name)
                return self if name[0] == "i" else (name, type(other).__name__)

            yield f"__{prefix}{name}__", method


for _name, _method in _methods():
    setattr(Own, _name, _method)


class Refuses(Own):
    pass


for _name, _method in _methods():
    setattr(Refuses, _name, lambda self, other: NotImplemented)


class Int(int):
    def __add__(self, other):
        return ("Int.add", int(self), other)

    def __radd__(self, other):
        return ("Int.radd", int(self), other)

    def __lt__(self, other):
        return "less"


class Float(float):
    def __mul__(self, other):
        return ("Float.mul", float(self), other)

    def __isub__(self, other):
        return ("Float.isub", float(self), other)


class Str(str):
    def __add__(self, other):
        return ("Str.add", str(self), other)

    def __getitem__(self, at):
        return ("Str.item", at)

    def __hash__(self):
        return 7

    def __eq__(self, other):
        return "equal"


class List(list):
    def __iadd__(self, other):
        return ("List.iadd", other)

    def __getitem__(self, at):
        return ("List.item", at)


class Dict(dict):
    def __missing__(self, key):
        return ("missing", key)


class Tuple(tuple):
    def __getitem__(self, at):
        return ("Tuple.item", at)


class Colour(enum.IntEnum):
    RED = 1


class Bits(enum.IntFlag):
    A = 1
    B = 2


Point = collections.namedtuple("Point", "x y")

#: Operands as source; those in the first table are constants of the compiler.
CONSTANTS = {
    "int": "0 1 -1 2 3 7 -7 10 64 255 256 -129 2147483647 4294967296 9007199254740993 9223372036854775807 "
    "9223372036854775808 -9223372036854775808 100000000000000000000 -100000000000000000001".split(),
    "bool": "True False".split(),
    "float": "0.0 -0.0 1.0 2.0 -2.0 0.5 -0.5 3.0 7.5 -7.5 0.1 10.0 1e10 1e16 1e300 5e-324 1e999 -1e999".split(),
    "complex": "0j 1j -1j (2+3j) (1-0.5j) 2.5j".split(),
    "str": ["''", "'a'", "'abc'", "'é'", "'%s'", "'%d %r'", "'😀b'", "'aab'"],
    "bytes": ["b''", "b'a'", "b'abc'", "b'%d'"],
    "tuple": ["()", "(1,)", "(1, 2.0)", "('a', 'b', 'c')", "((1, 2), 3)"],
    "none": ["None", "..."],
}
OTHERS = {
    "list": ["[]", "[1]", "[1, 2, 3]", "['a', 2.5]", "[[1], 2]"],
    "dict": ["{}", "{1: 2}", "{'a': 1, 'b': 2}", "{(1,): 3}", "Dict(a=1)", "collections.Counter('aab')"],
    "set": ["set()", "{1}", "{1, 2, 3}", "{'a'}", "frozenset()", "frozenset({1, 2})"],
    "bytearray": ["bytearray()", "bytearray(b'abc')", "memoryview(b'abc')"],
    "range": ["range(0)", "range(3)", "range(5, 0, -2)", "slice(1, 2)", "slice(None)", "slice(0, 10, 2)"],
    "class": ["int", "str", "list[int]", "Own", "type(None)"],
    "own": ["Own()", "Refuses()", "Plain()", "Int(3)", "Float(2.5)", "Str('ab')", "List([1, 2])", "Tuple((1, 2))"],
    "library": ["Colour.RED", "Bits.A", "Point(1, 2)", "collections.deque([1, 2])", "array.array('i', [1, 2])",
                "fractions.Fraction(1, 3)", "decimal.Decimal('1.5')", "types.SimpleNamespace(a=1)", "iter([1, 2])"],
}
KINDS = {**CONSTANTS, **OTHERS}
FOLDED = {it for values in CONSTANTS.values() for it in values}

BINARY = "+ - * / // % ** @ << >> & | ^ < <= > >= == != in and or".split() + ["not in"]
IN_PLACE = "+= -= *= += -= *= += |= /= //= %= **= @= <<= >>= &= |= ^=".split()
TEMPLATES = (
    [f"a {op} b" for op in BINARY] * 3
    + ["a[b]"] * 6
    + ["-a", "+a", "~a", "not a", "a[:b]", "a[b:]", "a[b:1]", "a[::b]", "(a, b)", "[*a]", "f'{a}'", "f'{a!r:>5}'"]
    + ["a if b else 0", "1 < a < b", "a == a", "divmod(a, b)", "min(a, b)", "len(a)", "str(a)", "bool(a)"]
    + ["a + b * 2", "(a - b) // 2", "a * b + a", "-a ** b", "a % b % 3", "not a == b", "{a: b}", "{a, b}", "a.real"]
    + ["a in (1, 2, 'a')", "a in {1, 2.0, 'a'}", "a == 1", "a != 'a'", "a < 3", "a + 1", "a - 1", "1 - a", "a * 2"]
    + ["2 * a", "a / 2", "a // 2", "a % 2", "a ** 2", "2 ** a", "a[0]", "a[-1]", "a[1:]", "a << 1", "a & 1", "1.5 + a"]
)
STATEMENTS = (
    [f"c = a; c {op} b; R(c, S(c, a))" for op in IN_PLACE] * 2
    + [f"d = {{0: a}}; d[0] {op} b; R(d[0], S(d[0], a))" for op in IN_PLACE]
    + [f"o = Plain(); o.x = a; o.x {op} b; R(o.x, S(o.x, a))" for op in IN_PLACE]
    + ["a[b] = 5; R(a)", "del a[b]; R(a)", "x, y = a; R(x, y)", "x, *y = a; R(x, y)", "for x in a: R(x)"]
    + ["R([x for x in a])", "R({x: b for x in a})", "R(sum(a, b))", "R(sorted(a))", "R(*a)", "R(**a)", "a.x = b; R(a)"]
    + ["a.append(b); R(a)", "R(a.count(b))", "R(a.index(b))", "R(a.get(b))", "R(a.x)", "R(a())", "R(a(b))"]
    + ["while a:\n  R(a)\n  break", "if a: R(1)\nelse: R(2)", "with a as x: R(x)", "assert a, b", "raise a"]
    + ["match a:\n  case 1: R(1)\n  case [x, *y]: R(x, y)\n  case {1: x}: R(x)\n  case int(): R(2)\n  case str(x): R(x)"]
    + ["try: a / b\nexcept ZeroDivisionError: R('zero')\nfinally: R('end')", "def f(x=a): return x\nR(f(), f(b))"]
    + ["class C:\n  x = a\n  def m(self, y): return self.x, y\nR(C().m(b), C.x)", "R((lambda x: x)(a))"]
)
#: What code has met before: pairs of operands.
WARM = ["1, 2", "1.5, 2.5", "'a', 'b'", "[1, 2], 1", "(1, 2), 0", "{0: 1}, 0", "Own(), Own()", "2, 'a'", "None, None",
        "10**30, 3", "True, 1", "{1}, {2}"]
RUNS = 100
#: Where snekpy gives something else than CPython, or CPython something else since 3.11: by source and operands.
KNOWN = [
    (r"R\(a\.(index|count)\(b\)\) memoryview", "memoryview has these methods since 3.14"),
    (r"\{.*slice\(|\bin \{.*slice\(|slice\(.*\{", "slices are hashable since 3.12"),
    (r"\dj", "complex beside real numbers, since 3.14; powers: other bits, NaNs in the place of errors"),
    (r"a\[b\].*-?\d{20}", "an index that no list is long enough for: TypeError in the place of IndexError"),
    (r"array\.array|memoryview|bytearray", "buffers are compared"),
]
NAME = re.compile(r"(?<![\w.'])([ab])(?![\w'])")


def is_large(source, a, b):
    """What takes long or gives much."""
    grows = "**" in source or "<<" in source or "*" in source
    numbers = [it for it in (a, b) if it.lstrip("-").isdigit()]
    return grows and any(abs(int(it)) > 300 for it in numbers)


def shown(value, depth=3):
    kind = type(value)
    if kind.__name__ in ("Union", "UnionType"):
        return f"Union:{value}"
    if kind in (list, tuple, set, frozenset) and depth:
        items = [shown(it, depth - 1) for it in value]
        return f"{kind.__name__}({', '.join(sorted(items) if kind in (set, frozenset) else items)})"
    if kind is dict and depth:
        return "dict(" + ", ".join(f"{shown(k, depth - 1)}: {shown(v, depth - 1)}" for k, v in value.items()) + ")"
    if isinstance(value, type) or callable(value):
        return f"{kind.__name__}:{getattr(value, '__qualname__', '')}"
    text = repr(value)
    return f"{kind.__name__}:{text if ' at 0x' not in text else '?'}"


class Outcome:
    """What an expression gives: what it hands to `R`, and what it raises."""

    def __init__(self):
        self.parts = []

    def __call__(self, *values, **named):
        self.parts.append(" ".join(map(shown, values)) + (f" {sorted(named)}" if named else ""))


def outcome(run, operands):
    """What `run` gives for operands that are made anew, and what becomes of them."""
    out = Outcome()
    a, b = operands() if operands else (None, None)
    try:
        run(out, a, b) if operands else run(out)
    except BaseException as e:
        out.parts.append(f"!{type(e).__name__}")
    return "; ".join(out.parts), f"{shown(a)} {shown(b)}" if operands else None


def compiled(text, name, space={}):
    if not space:
        space.update(globals())
    scope = {}
    exec(text, space, scope)
    return scope[name]


def body(source):
    return "\n".join(" " + line for line in source.split("\n"))


class Watched:
    """Runs with events on."""

    def __init__(self, how):
        self.how = how

    def __enter__(self):
        if self.how == "trace":
            sys.settrace(self.trace)
        elif self.how == "profile":
            sys.setprofile(lambda *_: None)
        elif hasattr(sys, "monitoring"):
            events = sys.monitoring.events
            sys.monitoring.use_tool_id(TOOL, "self")
            chosen = events.LINE if self.how == "lines" else events.INSTRUCTION | events.CALL | events.BRANCH_LEFT
            sys.monitoring.register_callback(TOOL, events.LINE, lambda *_: None)
            sys.monitoring.set_events(TOOL, chosen)

    def trace(self, *_):
        return self.trace

    def __exit__(self, *_):
        if self.how == "trace":
            sys.settrace(None)
        elif self.how == "profile":
            sys.setprofile(None)
        elif hasattr(sys, "monitoring"):
            sys.monitoring.set_events(TOOL, 0)
            sys.monitoring.free_tool_id(TOOL)


def case(rng):
    kinds = list(CONSTANTS if rng.random() < 0.4 else KINDS)
    while True:
        source = rng.choice(TEMPLATES if rng.random() < 0.6 else STATEMENTS)
        kind = rng.choice(kinds)
        like = {"str": "int", "list": "int", "tuple": "int", "dict": "int", "int": "float", "bool": "int"}.get(kind, kind)
        other = rng.choices([kind, like, "int", rng.choice(kinds)], [5, 2, 1, 2])[0]
        a, b = rng.choice(KINDS[kind]), rng.choice(KINDS[other])
        if not is_large(source, a, b):
            return source, a, b


def main(seed, count, show):
    rng = random.Random(seed)
    digest = hashlib.sha256()
    differ = 0
    for number in range(count):
        source, a, b = case(rng)
        statements = f"R({source})" if source in TEMPLATES else source
        text = f"def run(R, a, b):\n{body(statements)}"
        operands = compiled(f"operands = lambda: ({a}, {b})", "operands")
        cold = outcome(compiled(text, "run"), operands)
        ways = {"again": outcome(compiled(text, "run"), operands)}
        constants = f"def run(R):\n a, b = {a}, {b}\n" + body(statements)
        replaced = constants
        if source in TEMPLATES and "f'" not in source and {a, b} <= FOLDED:
            replaced = f"def run(R):\n{body(replace(statements, a, b))}"
        ways["constants"] = outcome(compiled(replaced, "run"), None)
        warm = rng.sample([it for it in WARM if not ("10**30" in it and is_large(source, "1000", ""))], 2)
        run = compiled(text, "run")
        for pair in warm:
            others = compiled(f"operands = lambda: ({pair})", "operands")
            for _ in range(RUNS):
                try:
                    run(ignored, *others())
                except Exception:
                    pass
        ways[f"warm {warm}"] = outcome(run, operands)
        ways["after"] = outcome(run, operands)
        how = rng.choice(["trace", "profile", "lines", "instructions"])
        watched = compiled(text, "run")
        with Watched(how):
            seen = outcome(watched, operands)
        ways[how] = seen
        ways[f"after {how}"] = outcome(watched, operands)
        with Watched(how):
            seen = outcome(run, operands)
        ways[f"warm {how}"] = seen
        for way, given in ways.items():
            if given != cold and (way != "constants" or given[0] != cold[0]):
                differ += 1
                print(f"{source!r} a={a} b={b} {way}: {given} for {cold}")
        if not any(re.search(pattern, f"{source} {a} {b}") for pattern, _ in KNOWN):
            digest.update(f"{source} {a} {b} {cold}\n".encode("utf-8", "replace"))
        if show:
            print(number, repr(source), a, b, cold)
        elif number % 50 == 49:
            print(number // 50, digest.hexdigest()[:8])
            digest = hashlib.sha256()
    print("differ:", differ)


def replace(source, a, b):
    """The expression with its operands in the place of the names."""
    return NAME.sub(lambda name: f"({a if name[1] == 'a' else b})", source)


def S(changed, first):
    """Whether an object that can change is the one that was there."""
    return changed is first and type(first).__hash__ is None


def ignored(*_, **__):
    pass


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    seed, count = sys.argv[1:3] if len(sys.argv) > 2 else ("1", "600")
    main(int(seed), int(count), "--show" in sys.argv)
