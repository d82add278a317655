# Three places in two functions: where it is refused, the call that leads there, and where the key was staged.
from snekpy import stage


def put(counts, key):
    counts[key] = 1
    return counts


@stage(strict=True)
def count(x, y):
    pair = (x + y, 0.5)
    return len(put({}, pair))


print(count(1, 2))
