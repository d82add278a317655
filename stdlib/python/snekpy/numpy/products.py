"""Products that are added up."""

import builtins

import _snekpy_numpy as _native
from _snekpy_numpy import matmul

from .elementwise import _given, _out
from .exceptions import AxisError
from .manipulation import _axis, moveaxis

_f = _native._names()

__all__ = ["cross", "dot", "einsum", "inner", "kron", "matvec", "outer", "tensordot", "trace", "vdot", "vecdot", "vecmat"]


def dot(a, b, out=None):
    """The product of vectors or matrices; of more axes, along the last of a and the last but one of b."""
    a, b = _given(a), _given(b)
    if a.ndim == 0 or b.ndim == 0:
        made = _f["multiply"](a, b)
    elif a.ndim <= 2 and b.ndim <= 2:
        if a.shape[-1] != b.shape[0 if b.ndim == 1 else -2]:
            at = 0 if b.ndim == 1 else b.ndim - 2
            raise ValueError(
                f"shapes {str(a.shape).replace(' ', '')} and {str(b.shape).replace(' ', '')} not aligned: "
                f"{a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[at]} (dim {at})"
            )
        made = matmul(a, b)
    else:
        made = tensordot(a, b, ((-1,), (-2 if b.ndim > 1 else 0,)))
    if out is not None:
        out[...] = made
        return out
    return made


def vecdot(x1, x2, /, *, axis=-1):
    """Products of vectors along an axis."""
    x1, x2 = _given(x1), _given(x2)
    if axis != -1:
        x1, x2 = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    if x1.dtype == "bool" and x2.dtype == "bool":
        return _native._reduce("any", x1 & x2, -1, False)
    return _native._vecdot(x1, x2)


def matvec(x1, x2, /):
    """Matrices with vectors."""
    return matmul(x1, _given(x2)[..., None])[..., 0]


def vecmat(x1, x2, /):
    """Vectors with matrices."""
    return matmul(_given(x1)[..., None, :], x2)[..., 0, :]


def vdot(a, b, /):
    """The product of all elements as vectors."""
    return dot(_given(a).reshape(-1), _given(b).reshape(-1))


def inner(a, b, /):
    """Products along the last axes."""
    a, b = _given(a), _given(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return tensordot(a, b, ((-1,), (-1,)))


def outer(a, b, out=None):
    """All products of two elements."""
    return _out(out, _given(a).reshape(-1)[:, None] * _given(b).reshape(-1)[None, :])


def tensordot(x1, x2, /, axes=2):
    """Products along some axes of each."""
    x1, x2 = _given(x1), _given(x2)
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError("`axes` must not be negative")
        axes = (tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes)))
    left, right = [(it,) if isinstance(it, int) else tuple(it) for it in axes]
    left, right = [_axis(it, x1.ndim) for it in left], [_axis(it, x2.ndim) for it in right]
    if [x1.shape[it] for it in left] != [x2.shape[it] for it in right]:
        raise ValueError("shape-mismatch for sum")
    keep1 = [it for it in range(x1.ndim) if it not in left]
    keep2 = [it for it in range(x2.ndim) if it not in right]
    count = 1
    for it in left:
        count *= x1.shape[it]
    rows, columns = [x1.shape[it] for it in keep1], [x2.shape[it] for it in keep2]
    m = n = 1
    for it in rows:
        m *= it
    for it in columns:
        n *= it
    a = x1.transpose(keep1 + left).reshape((m, count))
    b = x2.transpose(right + keep2).reshape((count, n))
    return matmul(a, b).reshape(rows + columns)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along a diagonal."""
    from .statistics import sum

    return sum(_native._diagonal(a, offset, axis1, axis2), -1, dtype=dtype, out=out)


def kron(a, b):
    """Each element of a times b."""
    a, b = _given(a), _given(b)
    rank = builtins.max(a.ndim, b.ndim)
    a = a.reshape((1,) * (rank - a.ndim) + a.shape)
    b = b.reshape((1,) * (rank - b.ndim) + b.shape)
    spread_a = a[tuple(it for _ in range(rank) for it in (slice(None), None))]
    spread_b = b[tuple(it for _ in range(rank) for it in (None, slice(None)))]
    return (spread_a * spread_b).reshape([m * n for m, n in zip(a.shape, b.shape)])


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Products of vectors in space."""
    from .manipulation import stack

    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = moveaxis(_given(a), axisa, -1), moveaxis(_given(b), axisb, -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if a.shape[-1] == 2 and b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    x, y = [[it[..., i] if i < it.shape[-1] else it[..., 0] * 0 for i in range(3)] for it in (a, b)]
    parts = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    return stack(parts, axisc)


def _parse(subscripts, operands):
    """The labels of each operand and of the result."""
    subscripts = subscripts.replace(" ", "")
    inputs, arrow, output = subscripts.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(operands):
        raise ValueError(
            "fewer operands provided to einstein sum function than specified in the subscripts string"
            if len(terms) > len(operands)
            else "more operands provided to einstein sum function than specified in the subscripts string"
        )
    # An ellipsis stands for axes that have no label: they get labels that nobody can write.
    hidden = 0
    for term, operand in zip(terms, operands):
        if "..." in term:
            hidden = builtins.max(hidden, operand.ndim - len(term) + 3)

    def spelled(term, rank):
        if "..." not in term:
            return list(term)
        before, after = term.split("...")
        count = hidden if rank is None else rank - len(before) - len(after)
        return list(before) + [f"...{hidden - count + i}" for i in range(count)] + list(after)

    labels = [spelled(term, operand.ndim) for term, operand in zip(terms, operands)]
    for term, operand in zip(labels, operands):
        if len(term) != operand.ndim:
            raise ValueError(
                "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
                "broadcast the extra dimensions."
                if len(term) < operand.ndim
                else f"einstein sum subscripts string contains too many subscripts for operand {labels.index(term)}"
            )
    if arrow:
        result = spelled(output, None)
    else:
        every = [it for term in labels for it in term]
        result = [f"...{i}" for i in range(hidden)] + sorted(
            it for it in set(every) if not it.startswith("...") and every.count(it) == 1
        )
    for it in result:
        if not any(it in term for term in labels):
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{it}' which never appeared in an input"
            )
        if result.count(it) > 1:
            raise ValueError(f"einstein sum subscripts string includes output subscript '{it}' multiple times")
    return labels, result


def any(items):
    """Python's own."""
    return builtins.any(items)


def _single(x, labels):
    """Repeated labels of one operand become its diagonal."""
    at = 0
    while at < len(labels):
        label = labels[at]
        if label in labels[at + 1 :]:
            other = labels.index(label, at + 1)
            if x.shape[at] != x.shape[other]:
                raise ValueError(f"dimensions in operand 0 for collapsing index '{label}' don't match ({x.shape[at]} != {x.shape[other]})")
            x = _native._diagonal(x, 0, at, other)
            labels = [it for i, it in enumerate(labels) if i not in (at, other)] + [label]
        else:
            at += 1
    return x, labels


def _drop(x, labels, keep):
    """Labels that nobody asks for are added up."""
    gone = [at for at, it in enumerate(labels) if it not in keep]
    if gone:
        x = _native._reduce("sum", x, gone, False)
    return x, [it for it in labels if it in keep]


def _pair(a, a_labels, b, b_labels, keep):
    """One product of two operands, as a batch of matrices."""
    a, a_labels = _drop(a, a_labels, set(b_labels) | keep)
    b, b_labels = _drop(b, b_labels, set(a_labels) | keep)
    sizes = {}
    for x, labels in ((a, a_labels), (b, b_labels)):
        for n, it in zip(x.shape, labels):
            if sizes.get(it, 1) == 1:
                sizes[it] = n
            elif n not in (1, sizes[it]):
                raise ValueError(
                    f"operands could not be broadcast together with remapped shapes: '{it}' is {sizes[it]} and {n}"
                )
    both = [it for it in a_labels if it in b_labels]
    batch = [it for it in both if it in keep]
    summed = [it for it in both if it not in keep]
    rows = [it for it in a_labels if it not in both]
    columns = [it for it in b_labels if it not in both]

    def arranged(x, labels, first, second):
        order = batch + first + second
        x = x.transpose([labels.index(it) for it in order])
        x = _native._broadcast_to(x, [sizes[it] for it in order])
        m = n = 1
        for it in first:
            m *= sizes[it]
        for it in second:
            n *= sizes[it]
        return x.reshape([sizes[it] for it in batch] + [m, n])

    left, right = arranged(a, a_labels, rows, summed), arranged(b, b_labels, summed, columns)
    made = matmul(left, right) if summed else left * right
    labels = batch + rows + columns
    return made.reshape([sizes[it] for it in labels]), labels


def einsum(subscripts, *operands, out=None, optimize=False, dtype=None):
    """Einstein's summation: `einsum("ij,jk->ik", a, b)`. Operands are taken from the left to the right."""
    operands = [_given(it) for it in operands]
    if not operands:
        raise ValueError("must provide at least an operand to einsum")
    if dtype is not None:
        operands = [it.astype(dtype) for it in operands]
    labels, result = _parse(subscripts, operands)
    parts = [_single(x, term) for x, term in zip(operands, labels)]
    made, own = parts[0]
    for number, (x, term) in enumerate(parts[1:], 1):
        later = {it for _, rest in parts[number + 1 :] for it in rest} | set(result)
        made, own = _pair(made, own, x, term, later)
    made, own = _drop(made, own, set(result))
    # Sums of integers are no longer than what is added.
    made = made.astype(_native._result_type(operands), copy=False)
    made = made.transpose([own.index(it) for it in result]) if len(result) > 1 else made
    if len(operands) == 1:
        # Else it may be a view.
        made = made.copy()
    if out is not None:
        out[...] = made
        return out
    return made
