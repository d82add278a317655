# Iterators of the program, comprehensions, generators that are drained, handlers in handlers.
def work(depth, x):
    def loop():
        nonlocal x
        while x > 1:
            x //= 2
            yield x
    if depth == 0:
        return list(loop())
    return [work(depth - 1, x), x]


@stage
def f(x):
    try:
        return work(2, x)
    finally:
        print('done', x)


class It:
    def __init__(self, n):
        self.i, self.n = 0, n
    def __iter__(self):
        return self
    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i


@stage
def g(n):
    t = 0
    for v in It(n):
        t += v
    a, *b = [v for v in It(3)]
    while True:
        try:
            t += 1 // (t % 3)
            break
        except ZeroDivisionError:
            t += 1
    return t, a, b


@stage
def h(n):
    # catches everything, again and again
    out = 0
    for i in range(n):
        try:
            k = 0
            while k < n:
                k += 1
        except BaseException as e:
            out += 1
            try:
                for j in range(2):
                    out += 10
            except BaseException as e2:
                print(type(e2).__name__, type(e2.__context__).__name__)
            return out
    return out


def main():
    print(f(9))
    print(g(4))
    print(h(3))
