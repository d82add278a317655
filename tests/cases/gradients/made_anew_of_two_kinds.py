"""Derivatives of functions that are made anew share code, but where what one of them knows decides what can be derived."""
#@ reference snekpy: `snekpy.numpy` is not in CPython

import snekpy.numpy as np
from snekpy import grad


def made(n, filled):
    def f(w, h):
        y, s = np.zeros((n, 3)), 0.0
        for t in range(n):
            h = np.tanh(h * w)
            if filled:
                y[t] = h
            else:
                s = s + h.sum()
        return y.sum() if filled else s
    return f


w, h = np.ones(3) * 0.5, np.ones(3) * 0.9
for n in (2, 5, 3):
    for filled in (True, False, True):
        g = grad(made(n, filled))
        print(n, filled, [round(it, 9) for it in g(w, h).tolist()], g(w, h).shape)
