# G21: functools.partial and functools.wraps.
import functools

from snekpy import stage


def scale(by, x):
    return x * by if x > 0 else x


@functools.wraps(scale)
def wrapped(x):
    return scale(3, x)


triple = stage(functools.partial(scale, 3))
print(triple(2), triple(-2), triple(0.5))
print(stage(wrapped)(2), wrapped.__name__)
