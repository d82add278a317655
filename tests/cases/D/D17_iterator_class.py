# D17: for over an object with __iter__ and __next__.
from snekpy import stage


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


def f(n):
    s = 0
    for v in Countdown(n):
        s = s * 10 + v
    return s


f = stage(f)
print(f(4), f(0))
