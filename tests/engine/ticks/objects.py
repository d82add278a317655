# Objects, properties, operators, globals and lists that are changed on the way.
LOG = []
COUNT = 0


class Box:
    def __init__(self, v):
        self.v = v
    def add(self, k):
        for i in range(3):
            self.v += k
        return self
    def __add__(self, o):
        return Box(self.v + o.v)
    @property
    def twice(self):
        return self.v * 2


B = Box(1)


def note(x):
    global COUNT
    COUNT += 1
    LOG.append(x)
    return x


@stage
def f(n, xs):
    t = 0
    for i in range(n):
        xs[i % len(xs)] += i
        note(i)
        B.add(i)
        t += (B + Box(i)).twice
    xs.append(t)
    return t


def main():
    global COUNT
    LOG.clear()
    COUNT, B.v = 0, 1
    xs = [1, 2, 3]
    try:
        print(f(3, xs))
        print(f(5, xs))
    finally:
        print(LOG, COUNT, B.v, xs)
