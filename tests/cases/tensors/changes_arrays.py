# A staged function changes an array that it is given; all names and views see it, each time once.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage


class Model:
    def __init__(self):
        self.w = np.ones(3)
        self.steps = 0


@stage
def bump(x, i, value):
    x[i] = value
    x[i + 1] += value * 2
    return x[i] + 1


@stage
def step(model, rate):
    model.w -= rate * model.w
    model.steps += 1
    model.w[0] = rate
    return model.w.sum()


@stage
def swap(x):
    y = x[::-1]
    x[0], x[2] = 7.0, 9.0
    y += 1
    return y[0]


shared = np.zeros(4)


@stage
def writes_global(v):
    global shared
    shared[1:3] = v
    shared = shared + 1
    return shared[1]


x = np.zeros(4)
view, kept = x[1:], x.copy()
print(bump(x, 0, 2.0), bump(x, 1, 3.0), x, view, kept)
model = Model()
for rate in (0.5, 0.25, 1):
    print(step(model, rate), model.w, model.steps)
z = np.arange(3.0)
for _ in range(3):
    print(swap(z), z)
for v in (1.5, 2.5, 3):
    print(writes_global(v), shared)
