# Lists that grow of characters and of complex numbers: compiled code holds the numbers that these are made of.
import math

from snekpy import stage

WORLD = [1j]
LOG = []


def reverse(text):
    found = []
    for c in text:
        found.append(c)
    found.reverse()
    return "".join(found), found


def rotate(text, by):
    return [chr((ord(c) - 97 + by) % 26 + 97) if "a" <= c <= "z" else c for c in text]


def bits(n):
    found = []
    while n:
        found.append("1" if n & 1 else "0")
        n >>= 1
    found.reverse()
    return "".join(found), len(found), found.count("1")


def balanced(text):
    open = []
    for c in text:
        if c in "([{":
            open.append(c)
        elif c in ")]}":
            if not open:
                return False, open
            before = open.pop()
            if (before == "(" and c != ")") or (before == "[" and c != "]") or (before == "{" and c != "}"):
                return before, c, open
    return not open, open


def methods(text):
    found = []
    for c in text:
        found.append(c)
        if len(found) > 3 and c == "b":
            found.insert(1, "-")
        if c == "c":
            del found[0]
        if c == "d" and found:
            found[0] = "+"
    copied = found[:]
    halved = found[::2]
    found.extend("xyz")
    found += ["<", ">"]
    more = found + copied
    index = found.index("x")
    return found, copied, halved, len(more), index, "b" in found, "é" in found, found == copied, copied == copied[:]


def at_the_end(text):
    found = []
    for c in text:
        found.append(c)
    return sorted(found), min(found), max(found), set(found) == set(text), tuple(found), found[-1], str(found), "|".join(found)


def words(text):
    # Texts of other lengths come among the characters.
    found = []
    word = ""
    for c in text:
        if c == " ":
            found.append(word)
            word = ""
        elif c in ",.":
            found.append(c)
        else:
            word += c
    return found, word


def rows(text, width):
    found = []
    row = []
    for c in text:
        row.append(c)
        if len(row) == width:
            found.append(row)
            row = []
    found.append(row)
    return ["".join(row) for row in found], found


def grid(width, height):
    cells = [["." for _ in range(width)] for _ in range(height)]
    for i in range(width * height):
        if i % 3 == 0:
            cells[i // width][i % width] = "#"
    return "\n".join("".join(row) for row in cells), cells


def repeated(n):
    line = ["."] * n
    for i in range(0, n, 3):
        line[i] = "#"
    return "".join(line), line


def pairs(text):
    runs = []
    for c in text:
        if runs and runs[-1][0] == c:
            runs[-1] = (c, runs[-1][1] + 1)
        else:
            runs.append((c, 1))
    return runs, "".join(f"{c}{n}" for c, n in runs)


def first_error(text, index):
    found = []
    for c in text:
        found.append(c)
    try:
        return found[index]
    except IndexError as error:
        return str(error), found


def raises(text):
    found = []
    for c in text:
        found.append(c)
        if c == "!":
            raise ValueError(found)
    return found


def mixed(text):
    found = []
    for c in text:
        found.append(None if c == "?" else c)
    return found


def logs(text):
    found = []
    for c in text:
        found.append(c)
        if c == "e":
            LOG.append("".join(found))
            print("so far", found, len(found))
    return found


def same(text):
    found = []
    for c in text:
        found.append(c)
    return found[0] is found[0], found[0] == found[0]


def orbit(n, c):
    z, seen = 0j, []
    for _ in range(n):
        z = z * z + c
        seen.append(z)
    return seen, sum(seen), len(seen), seen[-1].real, abs(seen[n // 2]), [w.conjugate() for w in seen[:3]]


def powers(n):
    found = []
    for k in range(n):
        angle = 2 * math.pi * k / n
        found.append((k, complex(math.cos(angle), math.sin(angle))))
    total = 0j
    for k, w in found:
        total += w * k
    return found, total


def transform(items, size):
    found = []
    for k in range(size):
        total = 0j
        for n, item in enumerate(items):
            angle = -2 * math.pi * k * n / size
            total += item * complex(math.cos(angle), math.sin(angle))
        found.append(total)
    return found


def filled(n):
    found = [0j] * n
    for i in range(n):
        found[i] = complex(i, -i) if i % 2 else -found[i - 1]
    return found, found.count(0j), 0j in found, found == found[:], 2j in found


def with_nan(n):
    found = []
    for i in range(n):
        found.append(complex(math.nan if i == 2 else i, i))
    return found, found[1] in found, found[n - 1] in found, found == found[:]


def into_the_world(n):
    for i in range(n):
        WORLD.append(complex(i, 1))
    return len(WORLD), WORLD[0] is WORLD[0]


def handed(n, consume):
    found = []
    for i in range(n):
        found.append(complex(i, 2))
    return consume(found), found


def in_order(n):
    found, pairs = [], []
    for i in range(n):
        found.append(complex(-i, i))
        pairs.append((chr(97 + i * 7 % 26), complex(i, 0)))
    try:
        found.sort()
    except TypeError as error:
        print("no order", len(found))
    try:
        pairs.sort()
    except TypeError as error:
        print("no order of pairs", len(pairs))
    try:
        print(max(found, default=None), sorted(found))
    except TypeError as error:
        print("none of these", len(found))
    pairs.sort(key=lambda pair: pair[0], reverse=True)
    return found, pairs


def letters(text):
    found = list(text)
    for i in range(1, len(found)):
        c, j = found[i], i - 1
        while j >= 0 and found[j] > c:
            found[j + 1] = found[j]
            j -= 1
        found[j + 1] = c
    other = list(text)
    other.sort(reverse=True)
    pairs = [(c, i % 3) for i, c in enumerate(text)]
    pairs.sort()
    return "".join(found), found == sorted(text), other, pairs[:5], sorted(pairs, key=lambda pair: pair[1])[:3]


def of_both(n):
    found = []
    for i in range(n):
        found.append(1j if i % 2 else 1.0)
    return found


for function in (
    reverse, rotate, bits, balanced, methods, at_the_end, words, rows, grid, repeated, pairs, first_error, raises, mixed,
    logs, same, orbit, powers, transform, filled, with_nan, into_the_world, handed, of_both, in_order, letters,
):  # fmt: skip
    globals()[function.__name__] = stage(function)

for text in "hello", "abcabcabdcb", "x", "a é ü b", "the cat, the dog. end", "aaabbbbcdd \U0001f600\U0001f600", "":
    print(reverse(text), rotate(text, 3), methods(text), words(text), rows(text, 3), pairs(text), mixed(text + "?a"), logs(text))
    if text:
        print(at_the_end(text), same(text))
    for index in 0, 2, -1, 50:
        print(first_error(text, index))
    for wrong in text, text + "!", "!" + text:
        try:
            print(raises(wrong))
        except ValueError as error:
            print(error.args)
for text in "([]{})", "(]", "((", ")", "{[()()]}" * 5:
    print(balanced(text), letters(text))
for n in 0, 1, 5, 2**40 + 3, 2**62:
    print(bits(n))
for width, height in (3, 2), (1, 1), (7, 4), (0, 3):
    print(grid(width, height), repeated(width))
for text in "", "a", "hello world", "\U0001f600 é ü b " * 9:
    print(letters(text))
for n in 0, 1, 2, 9:
    print(in_order(n))
for n in 1, 5, 40:
    print(orbit(n, 0.1 + 0.2j), powers(n), transform([1, 2.0, 3j, -1 + 1j], n), filled(n), of_both(n), into_the_world(n))
    print(handed(n, len), handed(n, lambda items: items.pop() if items else None), handed(n, repr))
print(with_nan(3), with_nan(5))
print(LOG, len(WORLD))
