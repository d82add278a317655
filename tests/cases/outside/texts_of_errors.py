# Errors have the class and text that they have unstaged.
from snekpy import stage


def based(base):
    return int(5, base)


def summed(x):
    return sum((x, 2), "a")


def summed_bytes(x):
    return sum((x, 2), b"x")


def summed_array(x):
    return sum((x, 2), bytearray(b"x"))


def formatted(x):
    return format(x, 2)


def pairs(x):
    return dict({x, 2})


def pairs_of_list(x):
    return dict([x, 2])


def text_base(x):
    return int("12", x)


def rounded(x):
    return round(x, "a")


def powered(x):
    return pow(x, 2, "a")


def shifted(x):
    return x << "a"


def ranged(x):
    return range(x, "a")


def called(x):
    return x()


def indexed(x):
    return x[0]


def iterated(x):
    return [i for i in x]


def unpacked(x):
    a, b = x
    return a


def deleted(x):
    del x[0]


def stored(x):
    x[0] = 1


def attribute(x):
    return x.nothing


def stored_attribute(x):
    x.nothing = 1


def chr_(x):
    return chr(x + 0x200000)


def zipped(x):
    return list(zip((1, 2), (x,), strict=True))


def joined(x):
    return ",".join([x, 2])


def with_(x):
    with x:
        pass


def contains(x):
    return 1 in x


def many_arguments(x):
    return abs(x, x)


def keyword(x):
    return len(obj=x)


for f in (
    based, summed, summed_bytes, summed_array, formatted, pairs, pairs_of_list, text_base, rounded, powered, shifted,
    ranged, called, indexed, iterated, unpacked, deleted, stored, attribute, stored_attribute, chr_, zipped, joined,
    contains, many_arguments, keyword,
):
    g = stage(f)
    for x in (3, 2.5, True):
        try:
            a = "value", f(x)
        except Exception as e:
            a = type(e), str(e)
        try:
            b = "value", g(x)
        except Exception as e:
            b = type(e), str(e)
        print(f.__name__, a == b if a == b else (a, b))
