# J09: an object with `__call__` is used as a function in a loop.
from support import run, show
from snekpy import stage


class Linear:
    def __init__(self, w, b=0):
        self.w = w
        self.b = b

    def __call__(self, x):
        return x * self.w + self.b


class Counter:
    def __init__(self):
        self.calls = 0

    def __call__(self, by=1, *more):
        self.calls += by + len(more)
        return self.calls


def made_inside(x, n):
    layer = Linear(2, 1)
    while n > 0:
        x = layer(x)
        n -= 1
    return x


def with_state(n):
    count = Counter()
    for i in range(n):
        if i % 2:
            count()
        else:
            count(i, 0, 0)
    return count.calls, count(by=10)


def sequence(x):
    for layer in LAYERS:
        x = layer(x)
    return x


def passed(function, n):
    total = 0
    for i in range(n):
        total += function(i)
    return total, callable(function)


def not_callable(x):
    if x > 0:
        return Linear(x)(x)
    return x(1)


show(made_inside, (1, 3), (0.5, 1), (1, 0))
show(with_state, 4, 0, 1)
LAYERS = [Linear(2), Linear(3, 1), abs, Linear(-1)]
staged = stage(sequence)
run(sequence, staged, (1, -2, 0.5))
LAYERS[1].w = 100
run(sequence, staged, (1,))
LAYERS.append(float)
run(sequence, staged, (1,))
LAYERS[:] = []
run(sequence, staged, (1,))
call = stage(passed)
counter = Counter()
print(call(Linear(2, 1), 3), call(Linear(0.5), 3), call(abs, 3), call(Linear(2, 1), 0))
print(call(counter, 3), counter.calls, call(counter, 2), counter.calls)
show(not_callable, 1, 0)
