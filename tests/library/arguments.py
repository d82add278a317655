"""Random arguments for functions of the standard library, by kind.

`make(name, random)` gives an argument of that kind; the same state of `random` gives an equal one again, so that the
staged call and the plain one each have their own.
"""

import collections
import datetime
import decimal
import fractions
import ipaddress
import random as randoms
import statistics
import types

WORDS = "snek vm a an the of stage Rep tensor loop-carried don't é 漢字 x=1 C++ 3.14 end. (see) 'quoted' \"both\"".split()
LETTERS = "abcABC xyz019_-.,:;/\\\n\t'\"&<>%#é漢"
NUMBERS = [0, 1, -1, 2, 3, 7, 10, 100, 255, 256, -17, 2**31, 2**63 - 1, -(2**63), 2**63, 10**20, True, False]
FLOATS = [0.0, -0.0, 0.5, 1.0, -1.5, 2.25, 1e-9, 3.141592653589793, 1e16, 1e308, float("inf"), float("nan"), -2.0, 0.1]
DECIMALS = ["0", "-0", "1", "2.50", "-7.125", "1E+3", "1E-20", "123456789.987654321", "Infinity", "NaN", "0.1", "-3"]


def integer(random):
    return random.choice(NUMBERS) if random.random() < 0.4 else random.randint(-50, 200)


def small(random):
    return random.randint(-2, 12)


def positive(random):
    return random.randint(1, 60)


def real(random):
    return random.choice(FLOATS) if random.random() < 0.3 else random.uniform(-50.0, 50.0)


def unit(random):
    return random.choice([0.0, 1.0, 0.5]) if random.random() < 0.3 else random.random()


def number(random):
    return random.choice([integer, small, real, fraction])(random) if random.random() < 0.15 else float(small(random))


def numbers(random):
    kind = random.choice([small, real, unit, integer, fraction, decimal_number])
    return [kind(random) for _ in range(random.choice([0, 1, 2, 3, 5, 8, 30]))]


def units(random):
    return [random.uniform(0.1, 9.0) for _ in range(random.choice([0, 1, 2, 5, 12]))]


def pairs(random):
    """Two lists of the same length, most times."""
    first = units(random)
    return [first, [it * 2.0 + random.random() for it in first][: random.choice([len(first)] * 6 + [1])]]


def ordered(random):
    return sorted(random.choice([small, real])(random) for _ in range(random.choice([0, 1, 3, 9, 20])))


def small_list(random):
    return [small(random) for _ in range(random.choice([0, 1, 2, 3, 6, 15]))]


def heap(random):
    # A sorted list is one.
    return ordered(random) or [1]


def text(random):
    size = random.choice([0, 1, 3, 8, 20, 60])
    if random.random() < 0.5:
        return random.choice([" ", "  ", "\n", " "]).join(random.choice(WORDS) for _ in range(size // 2))
    return "".join(random.choice(LETTERS) for _ in range(size))


def word(random):
    return random.choice(WORDS)


def words(random):
    return [word(random) for _ in range(random.choice([0, 1, 2, 5, 9]))]


def lines(random):
    return [random.choice(["a", "b", "def f():", "  return 1", "", "é"]) + "\n" for _ in range(random.randint(0, 7))]


def blob(random):
    return bytes(random.randrange(256) for _ in range(random.choice([0, 1, 2, 3, 4, 5, 8, 17])))


def ascii_text(random):
    return "".join(random.choice("ABCDEFabc234567=+/ ") for _ in range(random.choice([0, 2, 4, 8, 12])))


def path(random):
    parts = [random.choice(["a", "b.py", "..", ".", "", "c.tar.gz", ".hidden", "x y"]) for _ in range(random.randint(0, 5))]
    return random.choice(["", "/", "//", "~"]) + "/".join(parts)


def paths(random):
    return [random.choice(["/a/b", "/a/bc/d", "/a", "/a/b/../b"]) + path(random).lstrip("/~") for _ in range(random.randint(0, 3))]


def pattern(random):
    return random.choice(["*", "*.py", "[a-c]*", "?.*", "[!x]*", "a*b", "[", "*.[ch]", "", "x y", "**"])


def url(random):
    return random.choice(
        ["http://a.b/c;p?q=1&r=%20x#f", "//h:80/x", "../g", "?y", "mailto:me", "", "http://[::1]/", "g;x=1/../y", "a b&c=é"]
    )


def template(random):
    return random.choice(["$a and ${b}", "$$ $a", "no", "${", "$b$b", "$missing"])


def fraction(random):
    return fractions.Fraction(random.randint(-30, 30), random.randint(1, 20))


def decimal_number(random):
    return decimal.Decimal(random.choice(DECIMALS) if random.random() < 0.5 else str(random.randint(-9999, 9999) / 16))


def finite_decimal(random):
    return decimal.Decimal(random.randint(-99999, 99999)).scaleb(random.randint(-4, 2))


def rational(random):
    return random.choice([fraction, small, integer, real])(random)


def date(random):
    return datetime.date(random.randint(1, 9999), random.randint(1, 12), random.randint(1, 28))


def moment(random):
    zone = random.choice([None, None, datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=random.randint(-12, 12)))])
    clock = [random.randrange(it) for it in (24, 60, 60)] + [random.choice([0, 1, 999999])]
    return datetime.datetime(random.randint(1, 9999), random.randint(1, 12), random.randint(1, 28), *clock, tzinfo=zone)


def span(random):
    return datetime.timedelta(random.randint(-400, 400), random.randint(-9, 90000), random.choice([0, 1, -1, 500000]))


def iso_date(random):
    return random.choice(["2024-02-29", "20240229", "2024-W09-4", "2023-02-29", "x", "", "0001-01-01", "2024-1-1"])


def iso_moment(random):
    return random.choice(["2024-02-29T10:11:12", "2024-02-29 10:11", "20240229T101112Z", "2024-02-29T10:11:12.5+01:00", "2024-02-29T25:00", "no"])


def year(random):
    return random.choice([1, 4, 100, 400, 1900, 2000, 2023, 2024, 9999, 0, -4]) if random.random() < 0.5 else random.randint(1, 3000)


def month(random):
    return random.randint(0, 13) if random.random() < 0.1 else random.randint(1, 12)


def day(random):
    return random.randint(1, 31)


def address(random):
    return random.choice(["10.0.0.1", "192.168.1.255", "::1", "2001:db8::ff", "256.1.1.1", "1.2.3", "fe80::1%eth0", "0.0.0.0", ""])


def network(random):
    return random.choice(["10.0.0.0/8", "192.168.1.0/24", "192.168.1.1/24", "2001:db8::/32", "1.2.3.4/33", "10.0.0.0/255.0.0.0"])


def ip4(random):
    return ipaddress.IPv4Address(random.randrange(2**32))


def net4(random):
    size = random.randint(20, 32)
    return ipaddress.IPv4Network((random.randrange(2**32) >> (32 - size) << (32 - size), size))


def nets(random):
    return [ipaddress.IPv4Network((f"10.0.{random.randint(0, 3)}.0", 24)) for _ in range(random.randint(0, 5))]


def data(random, depth=0):
    """Nested lists, dicts and scalars."""
    if depth > 2 or random.random() < 0.4:
        return random.choice([integer, real, text, lambda _: None, lambda _: True])(random)
    if random.random() < 0.5:
        return [data(random, depth + 1) for _ in range(random.randint(0, 4))]
    return {word(random): data(random, depth + 1) for _ in range(random.randint(0, 4))}


def document(random):
    return random.choice(['{"a": [1, 2.5, null], "b": "\\u00e9\\n"}', "[]", "[1, 2", '"x', "nul", " -1e5 ", "{'a': 1}", "[[[[1]]]]", '{"a":1,"a":2}'])


def literal(random):
    return random.choice(["[1, 2, (3, 'x')]", "{'a': 1}", "1 + 2j", "-5", "f()", "{1, 2}", "b'x'", "[1,", "None"])


def command(random):
    return random.choice(["a 'b c' d", 'x "y\\"z"', "no 'end", "a\\ b # c", "", "a;b|c", "--x='1 2'"])


def graph(random):
    nodes = "abcdef"
    return {node: [random.choice(nodes[:position] or "z") for _ in range(random.randint(0, 2))] for position, node in enumerate(nodes)} | (
        {"a": ["f"]} if random.random() < 0.2 else {}
    )


def counter(random):
    return collections.Counter({random.choice("abcd"): random.randint(-2, 5) for _ in range(4)})


def chain(random):
    return collections.ChainMap(*({random.choice("abc"): small(random)} for _ in range(random.randint(1, 3))))


def user_list(random):
    return collections.UserList(small_list(random))


def user_text(random):
    return collections.UserString(word(random))


def generator(random):
    return randoms.Random(random.randrange(1000))


def normal(random):
    return statistics.NormalDist(random.uniform(-5, 5), random.uniform(0.5, 3))


def base(random):
    return random.randint(2, 36)


def flag(random):
    return random.random() < 0.5


def kind_of(name):
    """The kind of the argument `name`, whose digits at the end only tell it from others of its kind."""
    return globals().get(name) or globals().get(name.rstrip("0123456789").rstrip("_"))


def is_kind(name):
    return isinstance(kind_of(name), types.FunctionType)


def make(name, random):
    return kind_of(name)(random)
