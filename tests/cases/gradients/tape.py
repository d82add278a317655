# What a gradient records, how large it is and what needs it; and where the derivative stops.
#@ reference snekpy: differences record nothing
import math

import snekpy.numpy as np
from snekpy import checkpoint, grad, stop_gradient


def shown(g, *args):
    for line in g.inspect("tape", *args).splitlines():
        print(" ", line.rpartition("/")[2])


def flat(x):
    return math.sin(x) * x if x > 0.5 else stop_gradient(x) * math.floor(x)


def looped(x, n):
    y = x
    for i in range(n):
        if y > 1.0:
            y = math.sin(y) * x
        else:
            for _ in range(i):
                y = y * y + 0.1
    return y


def recurrent(w, n):
    h = np.ones(3)
    for i in range(n):
        h = np.tanh(w @ h)
    return h.sum()


def lighter(w, n):
    h = np.ones(3)
    step = checkpoint(lambda w, h: np.sin(np.tanh(w @ h)))
    for i in range(n):
        h = step(w, h)
    return h.sum()


print("flat")
shown(grad(flat), 0.7)
print("looped")
shown(grad(looped), 0.7, 3)
print("recurrent")
shown(grad(recurrent), np.eye(3), 3)
print("lighter")
shown(grad(lighter), np.eye(3), 3)
