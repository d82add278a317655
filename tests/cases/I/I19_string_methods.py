# I19: methods of strings, on known strings and on those made from staged numbers.
from support import show


def methods(s):
    return s.upper(), s.split(), "-".join(s), s.replace("a", "?"), s.find("a"), s.strip(), len(s), s * 2, s[::-1]


def of_numbers(x, y):
    text = ",".join([str(x), str(y)])
    a, b = text.split(",")
    return text, a.zfill(4), b.rjust(6, "."), text.startswith("1"), text.count("1"), "1" in text


def chosen(s, x):
    if s.isdigit():
        return int(s) + x
    if s.startswith("x") and x > 0:
        return s.removeprefix("x") * x
    if x > 0:
        s = s.title()
    return s + str(x)


def letters(s, n):
    count = 0
    for c in s:
        if c in "aeiou":
            count += n
        elif c.isspace():
            count -= 1
    return count


def at(s, i):
    return s[i], ord(s[i]), s[: i + 1].upper()


def compared(s, t, x):
    if s < t:
        return x
    return -x if s == t else (s > t, t)


show(methods, "banana", " a b ", "")
show(of_numbers, (1, 2), (10.5, -1), (True, 21))
show(chosen, ("12", 3), ("12", 0.5), ("xy", 2), ("xy", 0), ("a b", 1), ("a b", -1), ("", 1))
show(letters, ("a bc e", 2), ("xyz", 2), ("", 1), ("aa", 0.5))
show(at, ("abc", 0), ("abc", -1), ("abc", 2), ("abc", 3))
show(compared, ("a", "b", 1), ("b", "b", 1), ("c", "b", 1), ("", "", 0.5))
