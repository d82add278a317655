"""Which functions of snekpy.numpy have derivatives, as Markdown: `snekpy functions.py > docs/array-gradients.md`.

Each function is called with arrays of floats, its result made one number by a weighted sum, and the gradient compared with
differences. What is refused must be refused (S360) before it runs. A function that is not in `CALLS` nor among those
without floats fails the table: there is no silence about any.
"""

import sys

import snekpy.numpy as np
from snekpy import StagingError, grad, jvp

# Names that give no floats, make no arrays of arguments, change their arguments, or are no functions.
NO_FLOATS = """all allclose any argmax argmin argpartition argsort argwhere array_equal array_equiv bincount bitwise_and
    bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor can_cast common_type
    count_nonzero diag_indices digitize equal finfo flatnonzero frexp gcd greater greater_equal histogram iinfo in1d
    indices intersect1d invert iscomplexobj isclose isdtype isfinite isfortran isin isinf isnan isneginf isposinf isreal
    isrealobj isscalar issubdtype lcm left_shift less less_equal lexsort logical_and logical_not logical_or logical_xor
    may_share_memory min_scalar_type nanargmax nanargmin ndim ndindex nonzero not_equal promote_types ravel_multi_index
    result_type right_shift searchsorted setdiff1d setxor1d shape shares_memory signbit size tril_indices triu_indices
    iterable ix_ histogram2d diag_indices_from tril_indices_from
    triu_indices_from union1d unique unique_all unique_counts unique_inverse unique_values unravel_index broadcast_shapes""".split()
MAKE = """arange empty empty_like eye frombuffer fromfunction fromiter from_dlpack full full_like identity linspace
    geomspace logspace bartlett blackman hamming hanning kaiser ones ones_like tri zeros zeros_like mgrid ogrid""".split()
CHANGE = "copyto fill_diagonal place put put_along_axis putmask".split()
OTHER = """bfloat16 bool bool_ bool_kind c_ creation double dtype e elementwise euler_gamma exceptions float16 float32 float64
    float_ floating generic half inexact inf int32 int64 int_ intc integer intp linalg longlong manipulation nan ndarray
    ndenumerate newaxis number pi products r_ s_ searching sets signedinteger single statistics types ufunc vectorize
    apply_along_axis piecewise False_ True_ errstate geterr seterr files modes polynomials windows genfromtxt load loadtxt
    save savetxt savez savez_compressed""".split()

M = np.array([[0.5, -1.2, 0.7], [1.3, 0.4, -0.6]])
U = np.array([[0.3, 0.6, 0.2], [0.45, 0.7, 0.85]])
V = np.array([0.4, -0.9, 1.7, 0.2])
S = np.array([[2.0, 0.3, -0.4], [0.3, 1.5, 0.2], [-0.4, 0.2, 1.8]])
N = np.array([[0.9, -0.4, 0.3], [0.2, 1.4, -0.8], [-0.5, 0.6, 1.1]])

ONES = """abs absolute acosh angle arccosh arcsin arcsinh arctan arctanh arccos acos around asin asinh atan atanh cbrt ceil conj
    conjugate cos cosh deg2rad degrees exp exp2 expm1 fabs fix floor i0 imag log log10 log1p log2 modf nan_to_num negative
    positive rad2deg radians real reciprocal rint round round_ sign sin sinc sinh spacing sqrt square tan tanh trunc unwrap""".split()
TWOS = """add arctan2 atan2 copysign divide divmod float_power floor_divide fmax fmin fmod heaviside hypot ldexp logaddexp
    logaddexp2 maximum minimum mod multiply nextafter pow power remainder subtract true_divide""".split()
FOLDS = """amax amin average cumprod cumsum cumulative_prod cumulative_sum max mean median min nancumprod nancumsum nanmax nanmean nanmedian nanmin
    nanprod nanstd nansum nanvar prod ptp std sum var""".split()
SAME = """array asanyarray asarray ascontiguousarray asfortranarray atleast_1d atleast_2d atleast_3d copy
    fliplr flipud flip rot90 transpose ravel sort matrix_transpose swapaxes permute_dims diff trapezoid""".split()

CALLS = {}
for name in ONES:
    shift = 1.2 if name in ("acosh", "arccosh") else 0.0
    CALLS[name] = (lambda f, shift: lambda x: f(x + shift))(getattr(np, name), shift), U
for name in TWOS:
    CALLS[name] = (lambda f: lambda x: f(x, U[::-1] + 0.13))(getattr(np, name)), U
for name in FOLDS:
    CALLS[name] = (lambda f: lambda x: f(x, axis=0))(getattr(np, name)), M
for name in SAME:
    more = {"swapaxes": (0, 1), "permute_dims": ((1, 0),)}.get(name, ())
    CALLS[name] = (lambda f, more: lambda x: f(x, *more))(getattr(np, name), more), M
CALLS |= {
    "nanpercentile": (lambda x: np.nanpercentile(x, 40.0), M), "poly": (lambda x: np.poly(x), V),
    "polyadd": (lambda x: np.polyadd(x, V[:3]), V), "polysub": (lambda x: np.polysub(x, V[:3]), V),
    "polymul": (lambda x: np.polymul(x, V[:3]), V), "polydiv": (lambda x: np.polydiv(x, V[:3])[0], V),
    "polyder": (lambda x: np.polyder(x), V), "polyint": (lambda x: np.polyint(x), V),
    "polyval": (lambda x: np.polyval(x, U), V), "polyfit": (lambda x: np.polyfit(V, x, 2), V),
    "append": (lambda x: np.append(x, V), M), "array_split": (lambda x: np.array_split(x, 2), V),
    "astype": (lambda x: np.astype(x, np.float64), M), "block": (lambda x: np.block([[x, x]]), M),
    "broadcast_arrays": (lambda x: np.broadcast_arrays(x, V[:3])[0], M),
    "broadcast_to": (lambda x: np.broadcast_to(x, (2, 2, 3)), M), "choose": (lambda x: np.choose(np.array([0, 1]), (x[0, :2], x[1, :2])), M),
    "clip": (lambda x: np.clip(x, -0.8, 0.8), M), "column_stack": (lambda x: np.column_stack((x[0], x[1])), M),
    "compress": (lambda x: np.compress([True, False, True], x, axis=1), M), "concat": (lambda x: np.concat((x, M)), M),
    "concatenate": (lambda x: np.concatenate((x, M)), M), "convolve": (lambda x: np.convolve(x, V[:2]), V),
    "corrcoef": (lambda x: np.corrcoef(x), M), "correlate": (lambda x: np.correlate(x, V[:2]), V),
    "cov": (lambda x: np.cov(x), M), "cross": (lambda x: np.cross(x[0], x[1]), M),
    "delete": (lambda x: np.delete(x, 1), V), "diag": (lambda x: np.diag(x), V), "diagflat": (lambda x: np.diagflat(x), V),
    "diagonal": (lambda x: np.diagonal(x), N), "dot": (lambda x: np.dot(x, N), M), "dsplit": (lambda x: np.dsplit(x.reshape((1, 3, 2)), 2), M),
    "dstack": (lambda x: np.dstack((x, M)), M), "ediff1d": (lambda x: np.ediff1d(x), V),
    "einsum": (lambda x: np.einsum("ij,jk->ik", x, N), M), "expand_dims": (lambda x: np.expand_dims(x, axis=0), M),
    "extract": (lambda x: np.extract(np.array([True, False, True, True]), x), V), "gradient": (lambda x: np.gradient(x), V),
    "hsplit": (lambda x: np.hsplit(x, 3), M), "hstack": (lambda x: np.hstack((x, M)), M), "inner": (lambda x: np.inner(x, N), M),
    "insert": (lambda x: np.insert(x, 1, 0.5), V), "interp": (lambda x: np.interp(x, np.array([0.0, 0.5, 1.0]), np.array([1.0, 3.0, 2.0])), U[0]),
    "kron": (lambda x: np.kron(x, V[:2]), M), "matmul": (lambda x: np.matmul(x, N), M), "matvec": (lambda x: np.matvec(N, x), V[:3]),
    "meshgrid": (lambda x: np.meshgrid(x, V)[0], V), "moveaxis": (lambda x: np.moveaxis(x, 0, 1), M), "nanquantile": None,
    "outer": (lambda x: np.outer(x, V), V), "pad": (lambda x: np.pad(x, 1), M), "partition": (lambda x: np.partition(x, 1), V),
    "percentile": (lambda x: np.percentile(x, 30.0), V), "quantile": (lambda x: np.quantile(x, 0.3), V),
    "repeat": (lambda x: np.repeat(x, 2), V), "reshape": (lambda x: np.reshape(x, (3, 2)), M), "resize": (lambda x: np.resize(x, (3, 3)), M),
    "roll": (lambda x: np.roll(x, 1), V), "rollaxis": (lambda x: np.rollaxis(x, 1), M), "row_stack": (lambda x: np.row_stack((x, M)), M),
    "select": (lambda x: np.select([x > 0.0], [x * x], 0.5), M), "split": (lambda x: np.split(x, 2), V), "squeeze": (lambda x: np.squeeze(x[:1]), M),
    "stack": (lambda x: np.stack((x, M)), M), "take": (lambda x: np.take(x, np.array([2, 0, 0])), V),
    "take_along_axis": (lambda x: np.take_along_axis(x, np.array([[0, 2], [1, 1]]), axis=1), M),
    "tensordot": (lambda x: np.tensordot(x, N, axes=1), M), "tile": (lambda x: np.tile(x, 2), V), "top_k": (lambda x: np.top_k(x, 2)[0], V),
    "trace": (lambda x: np.trace(x), N),
    "tril": (lambda x: np.tril(x), N), "triu": (lambda x: np.triu(x), N), "trim_zeros": (lambda x: np.trim_zeros(x), V),
    "unstack": (lambda x: np.unstack(x), M), "vander": (lambda x: np.vander(x, 3), V), "vdot": (lambda x: np.vdot(x, M), M),
    "vecdot": (lambda x: np.vecdot(x, M), M), "vecmat": (lambda x: np.vecmat(x, N), V[:3]), "vsplit": (lambda x: np.vsplit(x, 2), M),
    "vstack": (lambda x: np.vstack((x, M)), M), "where": (lambda x: np.where(x > 0.0, x * x, x), M), "isfinite": None,
}
LINALG = {
    "cholesky": (lambda x: np.linalg.cholesky((x + x.mT) * 0.5), S), "cond": (lambda x: np.linalg.cond(x), N),
    "cross": (lambda x: np.linalg.cross(x[0], x[1]), M), "det": (lambda x: np.linalg.det(x), N), "diagonal": (lambda x: np.linalg.diagonal(x), N),
    "eigh": (lambda x: np.linalg.eigh((x + x.mT) * 0.5)[0], S), "eigvalsh": (lambda x: np.linalg.eigvalsh((x + x.mT) * 0.5), S),
    "inv": (lambda x: np.linalg.inv(x), N), "lstsq": (lambda x: np.linalg.lstsq(x, V[:3])[0], N), "matmul": (lambda x: np.linalg.matmul(x, N), M),
    "matrix_norm": (lambda x: np.linalg.matrix_norm(x), M), "matrix_power": (lambda x: np.linalg.matrix_power(x, 3), N),
    "matrix_rank": None, "matrix_transpose": (lambda x: np.linalg.matrix_transpose(x), M), "multi_dot": (lambda x: np.linalg.multi_dot((x, N, N)), M),
    "norm": (lambda x: np.linalg.norm(x), M), "outer": (lambda x: np.linalg.outer(x, V), V), "pinv": (lambda x: np.linalg.pinv(x), N),
    "qr": (lambda x: np.linalg.qr(x)[1], N), "slogdet": (lambda x: np.linalg.slogdet(x)[1], N), "solve": (lambda x: np.linalg.solve(x, N[:, :2]), N),
    "svd": (lambda x: np.linalg.svd(x)[1], N), "svdvals": (lambda x: np.linalg.svdvals(x), N), "tensordot": (lambda x: np.linalg.tensordot(x, N, axes=1), M),
    "trace": (lambda x: np.linalg.trace(x), N), "vecdot": (lambda x: np.linalg.vecdot(x, M), M), "vecmat": (lambda x: np.linalg.vecmat(x, N), V[:3]),
    "matvec": (lambda x: np.linalg.matvec(N, x), V[:3]), "vector_norm": (lambda x: np.linalg.vector_norm(x), V),
}


def weighted(function):
    """A number that depends on all that a function gives."""

    def weigh(given, start):
        if type(given) in (tuple, list):
            total = 0.0
            for at, item in enumerate(given):
                total = total + weigh(item, start + at)
            return total
        weights = np.cos(np.arange(given.size) * 0.7 + 0.3 + start).reshape(given.shape)
        return (given * weights).sum()

    return lambda x: weigh(function(x), 0.0)


def near(a, b, tolerance):
    return bool((np.abs(a - b) <= tolerance * (1.0 + np.abs(b))).all())


def others(f, found, x):
    """What differs from a gradient: that by single floats, the one forwards, the second derivatives both ways."""
    single = grad(f)(x.astype(np.float32))
    if single.dtype != np.float32 or not near(single.astype(np.float64), found, 2e-3):
        return f"of float32 {single.tolist()}, not {found.tolist()}"
    v = np.sin(np.arange(x.size) * 1.3 + 0.4).reshape(x.shape)
    if not near(jvp(f, (x,), (v,))[1], (found * v).sum(), 1e-10):
        return "forwards and backwards differ"
    g, h = grad(f), 1e-5
    second = jvp(g, (x,), (v,))[1]
    if not near(second, (g(x + h * v) - g(x - h * v)) / (2.0 * h), 1e-5):
        return "the second derivative is not that of differences"
    if not near(grad(lambda x: (grad(f)(x) * v).sum())(x), second, 1e-9):
        return "second derivatives forwards and backwards differ"
    return None


def state(function, x):
    """What the table says of a function, and whether that is wrong."""
    f = weighted(function)
    try:
        found = grad(f)(x)
    except StagingError as refused:
        code, _, what = str(refused).splitlines()[0].partition(": ")
        return f"refused: {what}", not code.startswith("S")
    except Exception as error:
        return f"{type(error).__name__}: {error}", True
    try:
        wrong = others(f, found, x)
    except Exception as error:
        return f"WRONG: {type(error).__name__}: {error}", True
    if wrong:
        return f"WRONG: {wrong}", True
    h, columns = 1e-6, []
    for at in range(x.size):
        step = np.zeros(x.size)
        step[at] = h
        step = step.reshape(x.shape)
        columns.append(float((f(x + step) - f(x - step)) / (2.0 * h)))
    expected = np.array(columns).reshape(x.shape)
    if not (np.abs(found - expected) <= 1e-6 * (1.0 + np.abs(expected))).all():
        return f"WRONG: {found.tolist()}, not {expected.tolist()}", True
    return ("yes" if (expected != 0.0).any() else "0, as it does not change"), False


def main():
    wrong = 0
    names = [name for name in dir(np) if not name.startswith("_")]
    known = set(CALLS) | set(NO_FLOATS) | set(MAKE) | set(CHANGE) | set(OTHER)
    print("# Derivatives of the functions of `snekpy.numpy`\n")
    print("Printed by `tests/gradients/functions.py`, which calls each of them, compares its gradient with differences, and")
    print("fails if a function is in no row. *Yes*: the gradient is that of differences, also for single floats and forwards, and so")
    print("are second derivatives. What is refused is refused before")
    print("anything has run (most as [S360](errors/S360.md)); nothing is taken to be zero.\n")
    for title, space, calls in ("Functions", np, CALLS), ("`linalg`", np.linalg, LINALG):
        print(f"## {title}\n\n| function | derivative |\n|---|---|")
        for name in sorted(calls):
            if calls[name] is None or not hasattr(space, name):
                continue
            said, is_wrong = state(*calls[name])
            wrong += is_wrong
            print(f"| `{name}` | {said} |")
        print()
    print("## Others\n")
    for title, group in ("Give no floats", NO_FLOATS), ("Make arrays of no arrays", MAKE), ("Change an argument, which has no derivative", CHANGE):
        print(f"{title}: {', '.join(f'`{name}`' for name in group if name in names)}.\n")
    missing = [name for name in names if name not in known]
    missing += [f"linalg.{name}" for name in np.linalg.__all__ if name not in LINALG and name[0].islower()]
    if missing:
        print("in no row:", *missing)
    sys.exit(bool(wrong or missing))


main()
