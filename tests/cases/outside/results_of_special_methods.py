# What special methods give is checked, with the words that it is checked with.
from snekpy import stage


class B:
    def __bool__(self):
        return 1


class L:
    def __len__(self):
        return 1.5


class X:
    def __index__(self):
        return 1.5

    def __hash__(self):
        return 1.5

    def __repr__(self):
        return 5

    def __contains__(self, x):
        return 5

    def __iter__(self):
        return 5

    def __int__(self):
        return 1.5

    def __str__(self):
        return 6


class Shown:
    def __init__(self, n):
        self.n = n

    def __str__(self):
        return f"<{self.n}>"


@stage
def t(o, n, w):
    try:
        if w == 0:
            return bool(o)
        if w == 1:
            return len(o)
        if w == 2:
            return [1, 2][o]
        if w == 3:
            return hash(o)
        if w == 4:
            return repr(o)
        if w == 5:
            return n in o
        if w == 6:
            return list(o)
        if w == 7:
            return int(o)
        if w == 8:
            return str(o)
        if w == 9:
            return f"{o}"
        if w == 10:
            return "yes" if o else n
    except TypeError as e:
        return str(e)


@stage
def shown(n):
    s = Shown(n)
    return str(s), f"{s}|{s!s}", isinstance(str(s), str)


for o, w in (
    (B(), 0), (L(), 1), (L(), 0), (X(), 2), (X(), 3), (X(), 4), (X(), 5), (X(), 6), (X(), 7), (X(), 8), (X(), 9),
    (B(), 10), (L(), 10),
):
    print(w, t(o, 1, w))
print(shown(1), shown(2))
