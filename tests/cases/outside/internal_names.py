# Errors name the classes that the program has.
from snekpy import stage


def length(n):
    return len(iter([n]))


def index(n):
    return range(n)["a"]


def called(n):
    return str(n)()


def added(n):
    return iter([n]) + 1


def subscripted(n):
    return iter((n,))[0]


def attribute(n):
    return enumerate([n]).zzz


def negated(n):
    return -range(n)


def ordered(n):
    return range(n) < range(2)


def generator(n):
    return len(x for x in [n])


def contained(n):
    return 1 in len


for f in (length, index, called, added, subscripted, attribute, negated, ordered, generator, contained):
    g = stage(f)
    for n in (1, 3):
        try:
            print(f.__name__, g(n))
        except Exception as e:
            try:
                f(n)
            except Exception as plain:
                print(f.__name__, type(e).__name__, (type(e), str(e)) == (type(plain), str(plain)), "snekpy" in str(e))
