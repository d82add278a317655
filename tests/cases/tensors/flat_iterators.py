# Attributes of an array that are objects in Python hold the array.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage
def a(A): B = A.flat; B[1] = 3; return A
def b(A): return A.flat[1]
def c(A): return [float(x) for x in A.flat]
def d(A): return sum(A.flat)
def e(A): return [int(x) for x in list(A.flat)]
def g(A):
    t = 0
    for x in A.flat: t += x
    return t
def h(A): return np.sum(np.array([float(x) for x in A.flat]))
def k(A): return len(A.flat)
def m(A):
    B = A.flat
    B[0] = 7
    return [float(x) for x in B], A
def n(A, k):
    B = A.reshape(-1).flat
    t = 0.0
    for i in range(k): t += float(B[i])
    return t, B[0:2]
for fn in (a, b, c, d, e, g, h, k, m):
    r = []
    for q in (fn, stage(fn)):
        for t in range(2):
            try: r.append(repr(q(np.array([3, 1, 2]))))
            except BaseException as x: r.append(type(x).__name__ + str(x))
    print(fn.__name__, len(set(r)) == 1, r[0])
sn = stage(n)
for t in range(3): print(n(np.array([[1.0, 2.0], [3.0, 4.0]]), 3), sn(np.array([[1.0, 2.0], [3.0, 4.0]]), 3))
