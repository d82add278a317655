# H04: a generator that a loop or a `del` leaves behind is closed there and then.
from support import show


def source(x):
    try:
        yield x
        yield x + 1
    except GeneratorExit:
        print("left at", x)
        raise
    finally:
        print("finally")


def first(x):
    for v in source(x):
        return v
    return None


def broken(x):
    for v in source(x):
        if v > 0:
            break
    print("after the loop")
    return v


def deleted(x):
    it = source(x)
    v = next(it)
    print("drawn")
    del it
    print("deleted")
    return v


def exhausted(x):
    return [v for v in source(x)]


for f in (first, broken, deleted, exhausted):
    show(f, 1, -1, 0.5)
