import re

TEXT = (
    "It was the best of times, it was the worst of times; it was the age of wisdom... "
    "it was the age of foolishness, it was the epoch of belief, it was the epoch of incredulity, "
) * 6


def word_freq(text):
    freq = {}
    for word in text.lower().split():
        word = word.strip(".,;!?")
        if word:
            freq[word] = freq.get(word, 0) + 1
    return sorted(freq.items(), key=lambda kv: (-kv[1], kv[0]))[:5]


def wrap(text, width):
    lines, line, size = [], [], 0
    for w in text.split():
        if size + len(w) + len(line) > width:
            lines.append(" ".join(line))
            line, size = [], 0
        line.append(w)
        size += len(w)
    if line:
        lines.append(" ".join(line))
    return lines


def justify(lines, width):
    out = []
    for l in lines:
        words = l.split()
        if len(words) == 1:
            out.append(l)
            continue
        gaps = len(words) - 1
        spaces = width - sum(len(w) for w in words)
        s = ""
        for i, w in enumerate(words):
            s += w
            if i < gaps:
                s += " " * (spaces // gaps + (1 if i < spaces % gaps else 0))
        out.append(s)
    return out


def is_pal(s):
    s = [c.lower() for c in s if c.isalnum()]
    return s == s[::-1]


def longest_pal(s):
    best = ""
    for i in range(len(s)):
        for j in (i, i + 1):
            a, b = i, j
            while a >= 0 and b < len(s) and s[a] == s[b]:
                a -= 1
                b += 1
            if b - a - 1 > len(best):
                best = s[a + 1 : b]
    return best


def lcs(a, b):
    m = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            m[i + 1][j + 1] = m[i][j] + 1 if x == y else max(m[i + 1][j], m[i][j + 1])
    i, j, out = len(a), len(b), []
    while i and j:
        if a[i - 1] == b[j - 1]:
            out.append(a[i - 1])
            i -= 1
            j -= 1
        elif m[i - 1][j] >= m[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return "".join(reversed(out))


LOG = [
    "2024-01-%02d %s user%d took %dms" % (i % 28 + 1, ["INFO", "WARN", "ERROR"][i % 3], i % 7, i * 37 % 900)
    for i in range(300)
]
PAT = re.compile(r"(\d+-\d+-\d+) (\w+) (user\d+) took (\d+)ms")


def parse_log(lines):
    slow, per = [], {}
    for line in lines:
        m = PAT.match(line)
        if not m:
            continue
        day, level, user, ms = m.groups()
        ms = int(ms)
        if level == "ERROR" and ms > 500:
            slow.append((user, ms))
        per.setdefault(user, []).append(ms)
    return slow[:3], {u: sum(v) / len(v) for u, v in per.items()}


def tokenize(s):
    out, i = [], 0
    while i < len(s):
        c = s[i]
        if c.isspace():
            i += 1
        elif c.isdigit():
            j = i
            while j < len(s) and s[j].isdigit():
                j += 1
            out.append(("num", int(s[i:j])))
            i = j
        elif c in "+-*/()":
            out.append(("op", c))
            i += 1
        else:
            raise SyntaxError(f"bad {c!r} at {i}")
    return out


def to_rpn(tokens):
    prec = {"+": 1, "-": 1, "*": 2, "/": 2}
    out, ops = [], []
    for kind, v in tokens:
        if kind == "num":
            out.append(v)
        elif v == "(":
            ops.append(v)
        elif v == ")":
            while ops[-1] != "(":
                out.append(ops.pop())
            ops.pop()
        else:
            while ops and ops[-1] != "(" and prec[ops[-1]] >= prec[v]:
                out.append(ops.pop())
            ops.append(v)
    while ops:
        out.append(ops.pop())
    return out


def run_rpn(rpn):
    st = []
    for t in rpn:
        if isinstance(t, str):
            b, a = st.pop(), st.pop()
            st.append(a + b if t == "+" else a - b if t == "-" else a * b if t == "*" else a / b)
        else:
            st.append(t)
    return st[0]


EXPR = "(1 + 2) * 3 - 4 / (5 + 6) * 7 + 88 * (9 - 2)"


def calc(s):
    return run_rpn(to_rpn(tokenize(s)))


def bench_freq():
    return word_freq(TEXT)


def bench_wrap():
    return len(wrap(TEXT, 40))


def bench_justify():
    return justify(wrap(TEXT, 40), 40)[3]


def bench_pal():
    return [is_pal(s) for s in ("A man, a plan, a canal: Panama", "hello" * 10, "x" * 99)]


def bench_longest():
    return longest_pal("forgeeksskeegfor" * 6)


def bench_lcs():
    return lcs("ACCGGTCGAGTGCGCGGAAGCCGGCCGAA" * 2, "GTCGTTCGGAATGCCGTTGCTCTGTAAA" * 2)


def bench_log():
    return parse_log(LOG)


def bench_calc():
    return [calc(EXPR.replace("88", str(k))) for k in range(30)][-1]
