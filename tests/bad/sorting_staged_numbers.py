# `sorted` compares: each comparison would be a staged decision inside native code.
from snekpy import stage


@stage(strict=True)
def middle(a, b, c):
    return sorted([a, b, c], key=lambda v: -v)[1]


print(middle(3, 1, 2))
