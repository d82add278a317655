"""Matrices are taken apart in compiled code, and give the bits that they give outside."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage


def numbers(*shape):
    count = 1
    for n in shape:
        count *= n
    return (np.arange(float(count)) * 7 % 11 - 4).reshape(shape)


@stage
def parts(x):
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    q, r = np.linalg.qr(x)
    return u, s, vh, q, r


@stage(strict=True)
def inverted(x):
    return np.linalg.pinv(x), np.linalg.cond(x), np.linalg.matrix_rank(x), np.linalg.svdvals(x), np.linalg.qr(x, mode="r")


@stage(strict=True)
def symmetric(x):
    a = x.T @ x + np.eye(x.shape[1])
    root = np.linalg.cholesky(a)
    return np.linalg.eigvalsh(a), root, np.linalg.norm(a, 2), np.linalg.norm(a, "nuc"), np.linalg.inv(a)


@stage
def spectrum(x):
    values, vectors = np.linalg.eigh(x.T @ x)
    return values, np.abs(vectors)


@stage
def principal(x, k):
    centred = x - x.mean(axis=0)
    _, s, vh = np.linalg.svd(centred, full_matrices=False)
    return centred @ vh[:k].T, s[:k] ** 2 / (s**2).sum()


@stage(strict=True)
def fitted(x, y):
    return np.linalg.lstsq(x, y, rcond=None)[0], np.polyfit(y, y * y + 1, 2)


@stage
def rooted(a, times):
    for i in range(times):
        try:
            a = np.linalg.cholesky(a)
        except np.linalg.LinAlgError as error:
            return i, str(error)
    return times, a


for dtype in ("float64", "float32"):
    for shape in ((3, 3), (5, 2), (2, 5), (1, 1)):
        x = numbers(*shape).astype(dtype)
        for made in (parts(x), inverted(x), symmetric(x), spectrum(x)):
            print(dtype, shape, [(it.shape, it.dtype.name, it.tobytes().hex()[:16]) for it in made])
u, s, vh, *_ = parts(numbers(4, 3))
print(np.allclose(u * s @ vh, numbers(4, 3)), s.round(3))
print(principal(numbers(20, 4), 2)[1].round(4))
coefficients, curve = fitted(numbers(9, 2), numbers(9))
print(coefficients.round(6), curve.round(6))
print(rooted(np.array([[4.0, 0.0], [1.0, 9.0]]), 1))
print(rooted(np.array([[4.0, 2.0], [2.0, 9.0]]), 3))
print(rooted(np.array([[-4.0, 2.0], [2.0, 9.0]]), 3))
print(np.linalg.svd(numbers(2, 4, 3))[2].shape, np.linalg.eigh(numbers(2, 3, 3) * 0)[0].tolist())

for wrong in (
    lambda: np.linalg.svd(np.array([[1.0, float("nan")], [2.0, 3.0]])),
    lambda: np.linalg.eigh(np.array([[float("inf"), 1.0], [1.0, 3.0]])),
    lambda: np.linalg.cholesky(np.array([[1.0, 2.0], [2.0, 1.0]])),
    lambda: np.linalg.eigh(np.ones((2, 3))),
    lambda: np.linalg.qr(np.ones(3)),
):
    try:
        wrong()
    except np.linalg.LinAlgError as error:
        print(error)
