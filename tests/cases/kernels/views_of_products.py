# Views of products on a device that are not computed yet: of their first rows, turned, of single elements.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import warnings

import snekpy.numpy as np
from snekpy import stage

warnings.simplefilter("ignore")


def first_rows(u, h):
    return (u @ h)[:2] * h


def rounded(u, h):
    return np.tanh((u @ h)[:2]) + 1.0


def twice(u, h):
    z = np.tanh((u @ h)[:2])
    return z + z


def steps(u, h, n=20):
    k = h
    for _ in range(n):
        g = u @ k
        k = np.tanh(g[:2]) * k + np.tanh(g[2:])
    return k


def turned(u, h):
    return (u @ u.T).T + 1.0


def element(u, h):
    return float((u @ h)[0]) + float((u @ h)[-1])


def last_rows(u, h):
    return (u @ h)[2:] - h


def every_second(u, h):
    return (u @ h)[::2] + h


u = np.asarray([[0.5, -0.25], [0.125, 1.0], [2.0, 0.75], [-1.0, 0.5]])
h = np.asarray([0.5, -2.0])
for f in (first_rows, rounded, twice, steps, turned, element, last_rows, every_second):
    here = f(u, h)
    for g in (f, stage(f)):
        there = g(u.to("simt"), h.to("simt"))
        same = here == there if isinstance(there, float) else bool(np.allclose(there.to("cpu"), here, rtol=1e-12))
        print(f.__name__, same)
