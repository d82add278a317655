# The Snek paper's tree_prod without the tree: recursion over a list of staged numbers.
from snekpy import lms, stage


@lms
def product(l):
    if not l:
        return 1
    return l[0] * product(l[1:])


staged = stage(product)
print(staged([2, 3, 4]), staged([]), staged([0.5, 8]))
