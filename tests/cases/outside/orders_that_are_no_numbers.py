# Only numbers say whether a list is sorted the other way round: for what is merely true, `sort` and `sorted` raise.
from snekpy import stage


class True_:
    def __bool__(self):
        return True


def in_place(v, order):
    v = list(v)
    v.sort(reverse=order)
    return v


def copied(v, order):
    return sorted(v, reverse=order)


def by_key(v, order):
    return sorted(v, key=lambda q: -q, reverse=order)


def made(v, order):
    made = []
    for i in range(len(v) + 1):
        made.append(i * 7 % 5)
    made.sort(reverse=order)
    return made


for f in (in_place, copied, by_key, made):
    staged = stage(f)
    for order in (True, 1, 0, -1, 1.0, "a", "", None, [], [1], (), True_()):
        try:
            print(f.__name__, staged([3, 1, 2], order))
        except TypeError:
            print(f.__name__, "TypeError")
