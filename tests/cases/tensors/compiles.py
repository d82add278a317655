# What is compiled wholly: no call of these leaves compiled code, and none asks the VM.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import random, stage


def report(function, *calls):
    staged = stage(strict=True)(function)
    for args in calls:
        shown = []
        for run in (function, staged):
            np.random.seed(5)
            try:
                shown.append(repr(run(*[it.copy() if isinstance(it, np.ndarray) else it for it in args])))
            except Exception as error:
                shown.append(f"{type(error).__name__} {error}")
        print(function.__name__, shown[1] if shown[0] == shown[1] else f"DIFFERENT {shown}")


A = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0], [2.0, 0.25, 1.0]])
K = np.array([0.5, -1.0, 2.0])


def identity(a, b, pick):
    c = a if pick else b
    d = a
    d += 1
    return c is a, c is b, a is b, d is a, a * 1 is a, a[0] is a[0], [it is a for it in (a, b, c)]


report(identity, (A, A.T, True), (A, A.T, False), (K, K, True))
same = stage(lambda x, y: (x is y, x is not y))
print(same(A, A), same(A, K), same(A, A.copy()))


def members(x, number):
    return number in x, 2.0 in x, 7 not in x, (x[1] in x)


report(members, (K, 0.5), (K, 0.75), (A, 4.0))


def items(x):
    return sum(x), max(x), min(x), any(x > 1), all(x > -2), list(x), tuple(x), x.tolist(), x.item(1), x[::-1].tolist()


report(items, (K,), (K * 2,), (np.array([1, 5, 3]),))


def indexed(x, at):
    k = np.array([2, 0, 1])
    total = 0
    for i in range(k[at]):
        total += x[k[i]]
    return x[k[at]], total, A_LIKE(x)[k[0], k[at]], x[int(k[at])], A_LIKE(x).item(at, 1), A_LIKE(x).item(4)


def A_LIKE(x):
    return np.outer(x, x)


report(indexed, (K, 0), (K, 1), (K, 2))


def library(x, n):
    m = np.outer(x, x)
    return (
        np.moveaxis(m, 0, 1), np.tensordot(m, m, 1), np.inner(x, x), np.cross(x, x + 1), np.diff(x), np.roll(x, n),
        np.repeat(x, 2), np.delete(x, 1), np.take(m, 1, axis=0), np.quantile(x, 0.25), np.median(x), np.gradient(x),
        np.trapezoid(x), np.take_along_axis(m, m.argsort(axis=1), axis=1), np.diag(x), np.arange(3) * n,
        np.einsum("ij->i", m), np.indices((2, 2)), np.float32(n), m.dtype == np.float64, str(m.dtype), hasattr(m, "T"),
    )


report(library, (K, 1), (K, 2), (K * 3, 5))


def solved(a, b):
    return np.linalg.inv(a), np.linalg.solve(a, b), np.linalg.det(a), np.linalg.solve(np.stack([a, a.T]), a)


report(solved, (A, K), (A + 1, K), (A.astype("float32"), K.astype("float32")), (A * 0, K))


def drawn(seed, p):
    key = random.key(seed)
    first, second = random.split(key)
    return (
        random.normal(first, (2,)), random.uniform(second, (2,), np.float64), random.fold_in(key, seed + 1),
        random.randint(key, (3,), 0, 10), random.bernoulli(first, p, (4,)), random.gumbel(key, (2,)),
        random.permutation(second, 5), random.choice(key, 5, (3,)), random.categorical(first, K_OF(p)),
    )


def K_OF(p):
    return np.array([p, 1.0, 0.5])


report(drawn, (0, 0.5), (1, 0.25), (2, 0.75), (-3, 0.5))


def generated(n):
    a = np.random.rand(2)
    b = np.random.normal(size=2)
    own = np.random.default_rng(n)
    return a, b, np.random.randint(0, 10, 3), own.random(2), own.permutation(4)


report(generated, (1,), (2,), (3,))
