# The text of a number that is known later is a text like any other.
from snekpy import stage


@stage
def characters(n):
    return [ch for ch in str(n)]


@stage
def digits(n):
    total = 0
    for ch in str(n):
        total += int(ch)
    return total


@stage
def several(n):
    s = f"<{n}>"
    return len(s), s[0], s[-1], s[1:-1], s == f"<{n}>", "1" in s, s + "!", s * 2, sorted(s)


@stage
def methods(n):
    s = str(n)
    return s.zfill(5), s.isdigit(), s.replace("1", "one"), s.rjust(4, "."), "-".join(s), "{}".format(s)


@stage
def converted(n):
    s = str(n)
    return int(s), float(s), list(s), tuple(s), set(s) == set(str(n)), list(reversed(s)), s.encode()


@stage
def compared(n):
    return str(n) == "12", str(n) < "5", str(n) in ("1", "12"), {str(n): 1}, hash(str(n)) == hash(str(n))


@stage
def kinds(n):
    s = str(n)
    return type(s), isinstance(s, str), s is s, bool(s), s.__class__.__name__, id(s) == id(s)


@stage
def enumerated(n):
    out = []
    for i, ch in enumerate(str(n)):
        out.append((i, ch))
    for a, b in zip(str(n), "abc"):
        out.append(a + b)
    a, *b = str(n)
    return out, a, b


@stage
def wrong(n):
    try:
        return str(n) + n
    except TypeError as e:
        return str(e)


@stage
def matched(n):
    match str(n):
        case "12":
            return "twelve"
        case s:
            return s


for f in (characters, digits, several, methods, converted, compared, kinds, enumerated, wrong, matched):
    for n in (12, 7, 405):
        print(f.__name__, f(n))
