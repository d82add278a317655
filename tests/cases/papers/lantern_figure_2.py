# Lantern, figure 2: the gradient of a loop that halves until less than 1. Its generated C is a recursion, `by_hand` here.
#@ golden sexpr by_hand(5.0)
from snekpy import reset, shift, stage


class Num:
    def __init__(self, x, d=0.0):
        self.x = x
        self.d = d

    def __rmul__(self, factor):
        def with_continuation(k):
            y = Num(factor * self.x)
            k(y)
            self.d += factor * y.d

        return shift(with_continuation)

    def __gt__(self, other):
        return self.x > other


def squash(x):
    temp = x
    while temp > 1.0:
        temp = 0.5 * temp
    return temp


def gradient(x):
    z = Num(x)

    def forwards():
        squash(z).d = 1.0

    reset(forwards)
    return z.d


def squash_loop(temp_x):
    if temp_x > 1.0:
        return 0.5 * squash_loop(0.5 * temp_x)
    return 1.0


@stage
def by_hand(x):
    return squash_loop(x)


staged = stage(gradient)
for x in (0.5, 1.0, 1.5, 5.0, 100.0):
    print(x, gradient(x), staged(x), by_hand(x))
