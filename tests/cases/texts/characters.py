# The characters of a text that is known only later: by index, in loops, compared, asked what they are, and made.
from snekpy import stage

TEXTS = [
    "It was the best of times, it was the worst of times: 12 + 34 = 46; wasn't it? YES, it was. " * 2,
    "ein längerer Text mit Umlauten: äöüß ÄÖÜ, und € und 😀 am Ende, damit er lang genug ist, ja",
    "short",
    "",
    "7",
    "no\tmore\x1fthan\x85white\u2003space here, and a surrogate \ud800 within it, which is no character at all",
]


def histogram(text):
    counts = [0] * 26
    for ch in text:
        if "a" <= ch <= "z":
            counts[ord(ch) - ord("a")] += 1
    return counts


def classes(text):
    digits = letters = spaces = upper = lower = both = 0
    for ch in text:
        digits += ch.isdigit()
        letters += ch.isalpha()
        both += ch.isalnum()
        if ch.isspace():
            spaces += 1
        upper, lower = upper + ch.isupper(), lower + ch.islower()
    return digits, letters, both, spaces, upper, lower


def vowels(text):
    return sum(1 for ch in text if ch in "aeiou"), sum(1 for ch in text if ch not in "aeiouAEIOU 0123456789")


def by_index(text, i):
    return text[i], text[-i - 1], ord(text[i]) + i


def walks(text):
    i, words, inside = 0, 0, False
    while i < len(text):
        if text[i] == " ":
            inside = False
        elif not inside:
            inside = True
            words += 1
        i += 1
    return words


def palindrome(text):
    i, j = 0, len(text) - 1
    while i < j:
        if text[i] != text[j]:
            return False
        i, j = i + 1, j - 1
    return True


def compares(text, other):
    at = -1
    for at, (a, b) in enumerate(zip(text, other)):
        if a < b:
            return at, "less", a, b
        if a > b:
            return at, "more", a, b
    return at, "same so far", len(text) - len(other)


def longest(text, other):
    before = [0] * (len(other) + 1)
    for a in text:
        row = [0]
        for j, b in enumerate(other):
            row.append(before[j] + 1 if a == b else max(before[j + 1], row[-1]))
        before = row
    return before[-1]


def rotated(text, by):
    out = []
    for ch in text:
        if "a" <= ch <= "z":
            out.append(chr((ord(ch) - 97 + by) % 26 + 97))
        elif ch.isupper():
            out.append(ch.lower())
        else:
            out.append(ch)
    return "".join(out)


def shouted(text):
    out = ""
    for ch in text:
        out += ch.upper() + "-"
    return out


def number(text):
    total = 0
    for ch in text:
        if ch.isdigit():
            total = total * 10 + int(ch)
            total %= 1_000_000_007
    return total


def counted(text):
    counts = {}
    for ch in text:
        counts[ch] = counts.get(ch, 0) + 1
    return sorted(counts.items())[:6]


def against_longer(text):
    less = equal = more = 0
    for ch in text:
        less += ch < "is"
        equal += ch == "it" or ch == ""
        more += ch >= "t" and ch > ""
    return less, equal, more, "" < "a"


def table(n):
    shades = " .:-=+*#%@"
    out = []
    for i in range(n):
        out.append(shades[i * i % 10] + shades[-1 - i % 10])
    return "".join(out)


def kept(text):
    last, first = "", None
    for ch in text:
        if first is None and ch.isalpha():
            first = ch
        if ch != " ":
            last = ch
    return first, last, type(last).__name__, len(last)


def leaves_inside(text, seen):
    for i, ch in enumerate(text):
        seen.append((i, ch))
        if ch == "e":
            with_it = {ch: i, **{"x": 1}}
            raise KeyError(ch, with_it)
    return seen


def words(text):
    found = []
    for word in text.split():
        if word in ("the", "of", "it"):
            found.append(word[0])
        elif word == "was" or word != "times," and word == "äöüß":
            found.append(len(word))
    return found


def nested(text):
    def is_end(ch):
        return ch in ".:;,?"

    def count(at):
        if at >= len(text):
            return 0
        return (1 if is_end(text[at]) else 0) + count(at + 1)

    return count(0)


def wrong(text, how):
    ch = text[0]
    if how == 0:
        return text[len(text)]
    if how == 1:
        return int(ch)
    if how == 2:
        return chr(len(text) - 10_000)
    if how == 3:
        return ch + how
    if how == 4:
        return ch < how
    if how == 5:
        return ch.upper().lower().isdigit()
    if how == 6:
        return ord(text)
    return ch is text[0], ch.encode(), ch.center(5, "*"), f"{ch:>4}|{ch!r}", ch * 3, [ch, ch], (ch,) == ("I",)


def tried(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error).encode("utf-8", "backslashreplace"), error.__traceback__.tb_next.tb_lineno


def show(*what):
    print(*[ascii(it) for it in what])


for function in [histogram, classes, vowels, walks, palindrome, shouted, number, counted, against_longer, kept, words, nested]:
    staged = stage(function)
    for text in TEXTS:
        show(function.__name__, tried(staged, text))
staged = stage(by_index)
for text in TEXTS:
    show("by_index", [tried(staged, text, i) for i in (0, 3, -1, 40)])
for function in [compares, longest]:
    staged = stage(function)
    for text, other in zip(TEXTS, TEXTS[1:] + TEXTS[:1]):
        show(function.__name__, tried(staged, text, other), tried(staged, text, text), tried(staged, text, text + "x"))
staged = stage(rotated)
for by in (3, 25, 0):
    show("rotated", [tried(staged, text, by) for text in TEXTS])
staged = stage(table)
show("table", [staged(n) for n in (0, 5, 30)])
staged = stage(leaves_inside)
for text in TEXTS:
    seen = []
    show("leaves_inside", tried(staged, text, seen), seen)
staged = stage(wrong)
for how in range(8):
    show("wrong", [tried(staged, text, how) for text in TEXTS])


# Bytes, which consist of numbers.
def checksum(data):
    table = []
    for i in range(16):
        c = i
        for _ in range(4):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
        table.append(c)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 15] ^ (crc >> 4)
        crc = table[(crc ^ (byte >> 4)) & 15] ^ (crc >> 4)
    return crc ^ 0xFFFFFFFF, len(data)


def pairs(data, i):
    return [a * b for a, b in zip(data, data)][:5], data[i] + data[-1], sum(n * b for n, b in enumerate(data))


def nibble(i):
    return b"0123456789abcdef"[i], b"\x00\xff"[i % 2]


BYTES = [bytes(range(256)), b"some bytes" * 12, b"", b"short", bytes(range(255, 0, -1))]
staged = stage(checksum)
show("checksum", [tried(staged, data) for data in BYTES])
staged = stage(pairs)
show("pairs", [tried(staged, data, i) for data in BYTES for i in (0, 4, -5, 300)])
staged = stage(nibble)
show("nibble", [tried(staged, i) for i in (0, 15, 7, -3, 16, -17)])
