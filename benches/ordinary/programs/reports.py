import json
import re
import string
import textwrap
from collections import Counter, defaultdict
from itertools import count

FRESH = count()

PROSE = (
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, "
    "it was the epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the season of "
    "Darkness, it was the spring of hope, it was the winter of despair. "
) * 4


def prose(k):
    return PROSE.replace("times", "times" + "s" * (k % 7)) + f"The end, number {k}."


def table(rows, headers):
    widths = [len(h) for h in headers]
    for row in rows:
        for i, cell in enumerate(row):
            widths[i] = max(widths[i], len(str(cell)))
    lines = [" | ".join(h.ljust(w) for h, w in zip(headers, widths))]
    lines.append("-+-".join("-" * w for w in widths))
    for row in rows:
        lines.append(" | ".join(str(c).rjust(w) if isinstance(c, (int, float)) else str(c).ljust(w) for c, w in zip(row, widths)))
    return "\n".join(lines)


def markdown(text):
    out, in_list = [], False
    for line in text.split("\n"):
        if line.startswith("- "):
            if not in_list:
                out.append("<ul>")
                in_list = True
            out.append(f"<li>{line[2:]}</li>")
            continue
        if in_list:
            out.append("</ul>")
            in_list = False
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            out.append(f"<h{level}>{line.lstrip('# ')}</h{level}>")
        elif line.strip():
            line = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", line)
            out.append(f"<p>{line}</p>")
    return "\n".join(out)


def bar_chart(counts, width):
    top = max(counts.values())
    return "\n".join(f"{name:>8} {'#' * (n * width // top)} {n}" for name, n in sorted(counts.items()))


def letter_counts(text):
    counts = {}
    for c in text.lower():
        if c.isalpha():
            counts[c] = counts.get(c, 0) + 1
    return sorted(counts.items(), key=lambda it: (-it[1], it[0]))[:5]


def sentence_lengths(text):
    lengths, n, inside = [], 0, False
    for c in text:
        if c in ".,!?":
            if inside:
                n += 1
                inside = False
            lengths.append(n)
            n = 0
        elif c.isspace():
            if inside:
                n += 1
            inside = False
        else:
            inside = True
    return lengths


def pig_latin(text):
    out = []
    for word in text.split():
        core = word.strip(",.").lower()
        for i, c in enumerate(core):
            if c in "aeiou":
                out.append(core[i:] + core[:i] + ("way" if i == 0 else "ay"))
                break
        else:
            out.append(core + "ay")
    return " ".join(out)


MORSE = dict(zip(string.ascii_lowercase, ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split()))
LETTERS = {code: letter for letter, code in MORSE.items()}


def to_morse(text):
    return " ".join(MORSE.get(c, "/") for c in text.lower())


def from_morse(text):
    return "".join(LETTERS.get(code, " ") for code in text.split(" "))


def justify(text, width):
    lines, line, length = [], [], 0
    for word in text.split():
        if length + len(line) + len(word) > width:
            for i in range(width - length):
                line[i % (len(line) - 1 or 1)] += " "
            lines.append("".join(line))
            line, length = [], 0
        line.append(word)
        length += len(word)
    lines.append(" ".join(line))
    return lines


def slug(text):
    out, dash = [], True
    for c in text.lower():
        if c.isalnum():
            out.append(c)
            dash = False
        elif not dash:
            out.append("-")
            dash = True
    return "".join(out).strip("-")


def longest_palindrome(text):
    best = ""
    for i in range(len(text)):
        for a, b in ((i, i), (i, i + 1)):
            while a >= 0 and b < len(text) and text[a] == text[b]:
                a -= 1
                b += 1
            if b - a - 1 > len(best):
                best = text[a + 1 : b]
    return best


def scan_numbers(text):
    total, number, sign = 0, None, 1
    for c in text + " ":
        if c.isdigit():
            number = (number or 0) * 10 + int(c)
        else:
            if number is not None:
                total += sign * number
            number, sign = None, -1 if c == "-" else 1
    return total


def parse_query(url):
    path, _, query = url.partition("?")
    params = defaultdict(list)
    for pair in query.split("&"):
        key, _, value = pair.partition("=")
        params[key].append(re.sub("%(..)", lambda m: chr(int(m.group(1), 16)), value.replace("+", " ")))
    return path, dict(params)


def queries(n):
    return sum(len(parse_query(f"/a/{i}?x={i}&y=a%20b&x=+{i}")[1]["x"]) for i in range(n))


def tokenise(source):
    tokens, i, n = [], 0, len(source)
    while i < n:
        c = source[i]
        if c.isalpha() or c == "_":
            start = i
            while i < n and (source[i].isalnum() or source[i] == "_"):
                i += 1
            tokens.append(("name", source[start:i]))
        elif c.isdigit():
            start = i
            while i < n and source[i].isdigit():
                i += 1
            tokens.append(("number", int(source[start:i])))
        elif c == '"':
            start = i + 1
            i = source.index('"', start) + 1
            tokens.append(("text", source[start : i - 1]))
        elif c.isspace():
            i += 1
        else:
            tokens.append(("op", c))
            i += 1
    return tokens


def lisp(tokens):
    def read(i):
        kind, value = tokens[i]
        if value == "(" and kind == "op":
            items, i = [], i + 1
            while tokens[i] != ("op", ")"):
                item, i = read(i)
                items.append(item)
            return items, i + 1
        return value, i + 1

    def run(tree, names):
        if isinstance(tree, int):
            return tree
        if isinstance(tree, str):
            return names[tree]
        head, *args = tree
        if head == "if":
            return run(args[1] if run(args[0], names) else args[2], names)
        if head == "fn":
            return lambda *given: run(args[1], {**names, **dict(zip(args[0], given))})
        values = [run(a, names) for a in args]
        return run(head, names)(*values)

    tree, _ = read(0)
    base = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "-": lambda a, b: a - b, "<": lambda a, b: a < b}
    return run(tree, base)


def log_levels(lines):
    counts, slow = Counter(), []
    for line in lines:
        level, ms, _, message = line.split(" ", 3)
        counts[level] += 1
        if int(ms.rstrip("ms")) > 900:
            slow.append(message)
    return dict(counts), slow[:3]


def diff(a, b):
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            lengths[i][j] = lengths[i + 1][j + 1] + 1 if a[i] == b[j] else max(lengths[i + 1][j], lengths[i][j + 1])
    i = j = 0
    out = []
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            out.append(" " + a[i])
            i += 1
            j += 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            out.append("-" + a[i])
            i += 1
        else:
            out.append("+" + b[j])
            j += 1
    return out + ["-" + x for x in a[i:]] + ["+" + x for x in b[j:]]


def similarity(a, b):
    pairs = [Counter(zip(t, t[1:])) for t in (a, b)]
    common = sum((pairs[0] & pairs[1]).values())
    return round(2 * common / (len(a) + len(b) - 2), 6)


def rail_fence(text, rails):
    rows = [[] for _ in range(rails)]
    row, step = 0, 1
    for c in text:
        rows[row].append(c)
        if row == 0:
            step = 1
        elif row == rails - 1:
            step = -1
        row += step
    return "".join("".join(r) for r in rows)


def rot13(text):
    out = ""
    for c in text:
        if "a" <= c <= "z":
            out += chr((ord(c) - 97 + 13) % 26 + 97)
        elif "A" <= c <= "Z":
            out += chr((ord(c) - 65 + 13) % 26 + 65)
        else:
            out += c
    return out


def rle_pack(text):
    out, i = [], 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out.append(f"{j - i}{text[i]}" if j - i > 1 else text[i])
        i = j
    return "".join(out)


def fill_template(template, values, n):
    return "".join(template.format(i=i, **values) for i in range(n))


def config(text):
    result, section = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        if line.startswith("["):
            section = result.setdefault(line.strip("[]"), {})
            continue
        try:
            key, value = (it.strip() for it in line.split("=", 1))
        except ValueError:
            result.setdefault("errors", []).append(number)
            continue
        if value.isdigit():
            section[key] = int(value)
        elif value in ("true", "false"):
            section[key] = value == "true"
        else:
            section[key] = value
    return json.dumps(result, sort_keys=True)


ROWS = [(f"name{i}", i * 37 % 1000, i * 0.5, "x" * (i % 9)) for i in range(120)]
MARKDOWN = "# Title\nSome **bold** text and **more**.\n- one\n- two\n\n## Next\nplain\n" * 25
COUNTS = {f"k{i}": i * 7 % 40 + 1 for i in range(40)}
SOURCE = 'def f(x_1, y2):\n    return x_1 * 12 + g("text", y2) - 345\n' * 20
LISP = "(+ (* 2 3) (if (< 1 2) ((fn (x y) (+ (* x x) (- y 1))) 7 8) 9))"
LINES = [f"{'INFO WARN ERROR'.split()[i % 3]} {i * 37 % 1000}ms - request {i} done" for i in range(400)]
CONFIG = "[main]\na = 1 # one\nb = text here\nflag = true\nbroken\n[other]\nx = 22\n" * 15
MORSED = to_morse(PROSE)


def bench_table():
    return table(ROWS, ("name", "number", "half", "pad"))


def bench_markdown():
    return markdown(MARKDOWN)


def bench_bars():
    return bar_chart(COUNTS, 40)


def bench_letters():
    return letter_counts(PROSE)


def bench_letters_fresh():
    return letter_counts(prose(next(FRESH)))


def bench_sentences_fresh():
    return sentence_lengths(prose(next(FRESH)))


def bench_pig():
    return pig_latin(PROSE)


def bench_morse():
    return to_morse(PROSE)


def bench_unmorse():
    return from_morse(MORSED)


def bench_justify_fresh():
    return justify(prose(next(FRESH)), 60)


def bench_slug_fresh():
    return slug(prose(next(FRESH)))


def bench_palindrome():
    return longest_palindrome(PROSE[:300])


def bench_palindrome_fresh():
    return longest_palindrome(prose(next(FRESH))[10:260])


def bench_scan_fresh():
    k = next(FRESH)
    return scan_numbers(" ".join(f"a{i * 7 + k}-{i}b" for i in range(200)))


def bench_queries():
    return queries(60)


def bench_tokenise():
    return tokenise(SOURCE)


def bench_lisp():
    return [lisp(tokenise(LISP)) for _ in range(10)]


def bench_levels():
    return log_levels(LINES)


def bench_diff():
    return diff(PROSE.split()[:40], PROSE.split()[7:47])


def bench_similarity():
    return similarity(PROSE, prose(next(FRESH)))


def bench_rail_fresh():
    return rail_fence(prose(next(FRESH)), 5)


def bench_rot13():
    return rot13(PROSE)


def bench_rot13_fresh():
    return rot13(prose(next(FRESH)))


def bench_rle_fresh():
    k = next(FRESH)
    return rle_pack("".join("abc"[i % 3] * ((i + k) % 5 + 1) for i in range(300)))


def bench_template():
    return fill_template("{i:04d} {name} costs {price:.2f}\n", {"name": "tea", "price": 1.5}, 200)


def bench_wrap():
    return textwrap.wrap(PROSE, 50)


def bench_config():
    return config(CONFIG)
