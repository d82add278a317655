# Which text comes first is known only later: compiled code has no lists of texts of more than a character.
from snekpy import stage


@stage(strict=True)
def smallest(a, b, c):
    return sorted([(a, "one"), (b, "two"), (c, "three")], key=lambda v: v[0])[0]


print(smallest(3, 1, 2))
