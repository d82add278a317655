# What tensors are asked for that compiled code cannot do itself: the VM does it there, and the call goes on.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage


def report(function, *calls):
    staged = stage(function)
    for args in calls:
        shown = []
        for run in (function, staged):
            try:
                shown.append(repr(run(*[it.copy() if isinstance(it, np.ndarray) else it for it in args])))
            except Exception as error:
                shown.append(f"{type(error).__name__} {error}")
        print(function.__name__, shown[1] if shown[0] == shown[1] else f"DIFFERENT {shown}")


def vectors(count):
    return [np.array([0.5, -1.0, 2.0, 0.25]) - 0.4 * (i % 5) for i in range(count)]


def masked(x):
    return x[x > 0], x[x > 0].sum(), len(x[x > 0]), (x[x > 0] * 2 + 1).shape, x[[True, False, True, True]]


def masked_rows(x):
    m = x.reshape(2, 2)
    return m[m[:, 0] > 0], m[m > 0].max()


def written(x):
    x[x < 0] = 0.0
    x[x > 1] *= 0.5
    return x


def written_between(x):
    y = x * 2
    y[y < 0] = 9.0
    z = y + 1
    y[0] = 7.0
    return y, z, x


def places(x):
    return np.nonzero(x > 0), np.where(x > 0)[0], np.flatnonzero(x), np.argwhere(x > 0.3)


def uniques(x):
    k = np.floor(x)
    return np.unique(k), np.unique(k, return_counts=True), np.union1d(k, x), np.setdiff1d(x, k)


def texts(x):
    s = "%s %d" % (x, 1)
    t = f"{x} {x[0]:.2f} {x.sum():>8.3f}"
    u = str(x) + repr(x[:2])
    x[0] = 5.0
    return s, t, u, "%s" % x, "{} {}".format(x[1], 3)


def printed(x):
    print(f"sum {x.sum():.3f}", str(x), sep=" | ")
    return x


for function in (masked, masked_rows, written, written_between, places, uniques, texts, printed):
    report(function, *[(it,) for it in vectors(10)])


def sized(n, x):
    return np.zeros(n) + x, np.arange(n).sum(), np.eye(n)[0], np.full((n, 2), x)


def sliced(x, n):
    return x[n:], x[:n].sum(), x[1:n] * 2, np.concatenate([x[n:], x[:n]])


report(sized, *[(i % 4 + 1, 0.5 * i) for i in range(10)])
report(sliced, *[(np.arange(5.0), i % 6) for i in range(12)])


def collected(x, n):
    xs = []
    for i in range(n):
        xs.append(x * i)
    return np.stack(xs), len(xs)


def collected_until(x, limit):
    xs = [x]
    while xs[-1].sum() < limit:
        xs.append(xs[-1] * 1.5 + 1)
    total = 0.0
    for it in xs:
        total = total + it.max()
    return np.concatenate(xs), total


report(collected, *[(np.array([1.0, -2.0]), n) for n in (0, 1, 3, 20, 33, 40, 41)])
report(collected_until, *[(np.array([1.0, 0.5]), n) for n in (1, 50, 1e6, 3e3, 2e5, 7.5)])


def decomposed(a):
    q, r = np.linalg.qr(a)
    made = np.linalg.svd(a)
    return np.allclose(q @ r, a), np.allclose((made.U * made.S) @ made.Vh, a), np.linalg.slogdet(a)


def symmetric(a):
    made = np.linalg.eigh(a + a.T)
    return made.eigenvalues.round(6), np.linalg.eigvalsh(a + a.T).round(6), np.linalg.norm(a, ord=2).round(6)


square = np.array([[2.0, 0.5, -1.0], [0.0, 1.5, 0.25], [1.0, -0.5, 3.0]])
report(decomposed, *[(square + 0.1 * i,) for i in range(4)])
report(symmetric, *[(square + 0.1 * i,) for i in range(4)])
