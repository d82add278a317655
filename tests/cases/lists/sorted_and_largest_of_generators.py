"""`sorted` of a generator whose items are known, and `min` and `max` with a default."""
from snekpy import stage


@stage
def most(counts, top):
    return sorted(word for word, count in counts.items() if count == top)


@stage
def backwards(counts, least):
    words = [word for word, count in counts.items() if count >= least]
    words.sort(reverse=True)
    return words


@stage
def mixed(counts, least):
    return sorted(key for key, count in counts.items() if count >= least)


@stage
def above(xs, least):
    return max((x for x in xs if x > least), default=least), min((x for x in xs if x > least), default=None)


@stage
def largest(xs, other):
    return max(xs, default=other), min(xs, default=other)


class Later:
    def __init__(self, value):
        self.value = value

    def __gt__(self, other):
        print("compares", self.value, other.value)
        return self.value > other.value


@stage
def compared(values, other):
    return max((Later(value) for value in values), default=Later(other)).value


@stage
def depth(tree):
    return 1 + max((depth(child) for child in tree), default=0)


for top in (1, 2, 3):
    print(most({"pear": 2, "fig": 1, "apple": 2}, top), backwards({"pear": 2, "fig": 1, "apple": 2}, top))
for least in (0, 2, 9):
    print(above([1, 5, 2.5, 5.0], least), above([], least), above((True, 2), least))
    print(largest([least, 3, 4.5], 7), largest([], least), largest((least,), "x"), largest([0.0, -0.0, least], 1))
    print(compared([1, least, 3], 4), compared([], least))
try:
    mixed({"a": 1, 2: 1}, 0)
except TypeError as error:
    print(error)
try:
    above([1, "x"], 0)
except TypeError as error:
    print(error)
try:
    largest([1, None], 0)
except TypeError as error:
    print(error)
print(depth([[], [[], [[]]]]))
