# `str.join` of what generators give: characters, numbers written down, texts of both, and texts from outside.
from snekpy import stage

LOG = []
LEAST = -(2**63)


def numbers(items, separator):
    return separator.join(str(item) for item in items)


def signed(items):
    return " ".join(f"<{item}|{-item}>" for item in items if item != 3)


def shown(items):
    return ", ".join(f"{item:+.2f}" if item > 1 else f"{item!r}" for item in items)


def truths(items):
    return "".join(str(item > 2) + " " for item in items)


def caesar(text, by):
    return "".join(chr((ord(c) - 97 + by) % 26 + 97) if c.isalpha() else c for c in text)


def drawn(cells, on, off):
    return "\n".join("".join(on if cell else off for cell in row) for row in cells)


def words(items, n):
    return "/".join(items[i % len(items)] for i in range(n))


def spelled(items, n):
    return "-".join(items[i % len(items)][:2] + str(i) + c for i in range(n) for c in "ab")


def constant(n):
    return "é".join("ab\u20ac" for _ in range(n)), "".join("" for _ in range(n)), len("x".join("\ud800" for _ in range(n)))


def with_effects(items):
    def each(item):
        LOG.append(item)
        return str(item)

    return "+".join(each(item) for item in items), len(LOG)


def divided(items):
    try:
        return ",".join(str(100 // item) for item in items)
    except ZeroDivisionError as error:
        return type(error).__name__


def no_texts(items, n):
    try:
        return ",".join(items[i] for i in range(n))
    except (TypeError, IndexError) as error:
        return type(error).__name__, str(error)


def some_numbers(n):
    try:
        return ",".join(str(i) if i % 5 else i for i in range(n))
    except TypeError as error:
        return str(error)


def big(n):
    return ",".join(str(2**i) for i in range(n))


def of_list(a, b):
    return "-".join([str(a), f"{b:.3f}", "end"]), "".join((str(b), "x")), "".join([f"{a}"]), ", ".join([str(a), "é", chr(a % 300)])


def appended(items):
    found = []
    for item in items:
        found.append("x" if item > 2 else "é")
    return "".join(found) + "!", "--".join(found), found


def generator(n):
    for i in range(n):
        LOG.append(i)
        yield chr(65 + i % 26)
        yield str(i)


def through(n):
    first = "".join(generator(n))
    items = generator(n)
    head = next(items, "")
    return first, head, "".join(items), "".join(items), "".join(reversed([chr(97 + i % 3) for i in range(n)]))


def mapped(items):
    return " ".join(map(str, items)), "".join(map(chr, (item % 200 for item in items))), "".join(filter(None, (chr(i % 90) for i in items)))


def turned(n, separator):
    digits = []
    while n:
        n, digit = divmod(n, 7)
        digits.append("0123456"[digit])
    items = reversed(digits)
    return separator.join(items), separator.join(items), "".join(reversed([str(n), "a"])), "".join(enumerate([])), "-".join(iter("abc"))


for function in (
    turned, numbers, signed, shown, truths, caesar, drawn, words, spelled, constant, with_effects, divided, no_texts, some_numbers,
    big, of_list, appended, through, mapped,
):  # fmt: skip
    globals()[function.__name__] = stage(function)

for items in [], [7], [1, 2, 3, 4], [0, -1, 10, -100, 99, 2**63 - 1, -(2**63) + 1], list(range(-60, 60)), [1.5, 0.0, -2.5, 1e300], [LEAST, 1]:
    for separator in "", ", ", "é":
        print(numbers(items, separator))
    for function in signed, shown, truths, with_effects, divided, appended:
        try:
            print(function(items))
        except OverflowError as error:
            print("overflow", error)
    if all(type(item) is int for item in items):
        print(mapped(items) if items and max(items) < 2**60 and min(items) >= 0 else None)
for text in "", "abc xyz", "éa1\U0001f600", "zebra " * 30:
    print(caesar(text, 3), caesar(text, -30))
for n in 0, 1, 2, 30:
    print(drawn([[(x * y) % 3 for x in range(n)] for y in range(n % 7)], "#", "."))
    print(drawn([[(x * y) % 3 for x in range(n)] for y in range(n % 7)], "on", ""))
    print(words(["one", "two", "drei"], n), spelled(["one", "two", "drei"], n), constant(n), through(n), some_numbers(n))
    print(no_texts(["a", "b"], n), no_texts(["a", 1, "b"], n), big(n * 4))
for n in 0, 5, 12345678, 2**61:
    for separator in "", ".", "é😀":
        print(turned(n, separator))
for a, b in (1, 2.5), (-300, 0.1), (280, -1e10):
    print(of_list(a, b) if a >= 0 else None)
print(len(LOG))
