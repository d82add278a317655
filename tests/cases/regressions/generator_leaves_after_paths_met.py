# A generator that some paths have drawn on leaves where they have met: what it will not read again is not asked for.
from support import stage


class Countdown:
    def __init__(self, n):
        self.left, self.sum = n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        self.sum = (self.sum + self.left * 3) % 1009
        return self.sum


class Few:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for i in range(abs(self.x) % 4):
            yield self.x % 100 + i


down, few = Countdown(4), Few(7)


def drawn(n):
    odd = (q for q in down if q % 2)
    i = 0
    for i in few:
        if few.x > i:
            i = next(odd)
    print(n, i)
    return odd, i


drawn = stage(drawn)
for x in (7, 3, 2, 9):
    few.x = x
    down.__init__(4)
    odd, i = drawn(x)
    print(list(odd), i)
