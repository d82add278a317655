# D15: for over a string.
from support import show


def f(word, x):
    s = 0
    for ch in word:
        if ch == "+":
            s += x
        elif ch == "-":
            s -= x
        else:
            s = s * 2
    return s


show(f, ("++*-", 3), ("", 3), ("--", 0.5))
