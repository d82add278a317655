# Convolutions of images against loops over all of them, and their gradients against differences, on each target.
#@ reference snekpy: CPython has no `snekpy.nn`
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import grad, stage
from snekpy.nn import conv2d

warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def some(seed, *dims):
    return np.sin(np.arange(int(np.prod(np.asarray(dims)))) * (0.7 + seed)).reshape(dims)


def by_loops(x, w, b, stride, padding, dilation, groups):
    (down, right), (above, left), (below, beside) = [(it, it) if isinstance(it, int) else it for it in (stride, padding, dilation)]
    own, depth = w.shape[0] // groups, w.shape[1]
    x, w, b = x.tolist(), w.tolist(), b.tolist()
    height, width, rows, columns = len(x[0][0]), len(x[0][0][0]), len(w[0][0]), len(w[0][0][0])

    def pixel(image, channel, i, j):
        return image[channel][i][j] if 0 <= i < height and 0 <= j < width else 0.0

    def place(image, number, i, j):
        total = b[number]
        for channel, rows_of in enumerate(w[number], number // own * depth):
            for p, row in enumerate(rows_of):
                for q, weight in enumerate(row):
                    total += weight * pixel(image, channel, i * down + p * below - above, j * right + q * beside - left)
        return total

    ys = range((height + 2 * above - below * (rows - 1) - 1) // down + 1)
    xs = range((width + 2 * left - beside * (columns - 1) - 1) // right + 1)
    return np.asarray([[[[place(image, number, i, j) for j in xs] for i in ys] for number in range(len(w))] for image in x])


CASES = [
    ((1, 1, 3, 3), (1, 1, 1, 1), 1, 0, 1, 1),
    ((2, 3, 6, 5), (4, 3, 3, 2), 1, 0, 1, 1),
    ((2, 2, 5, 7), (3, 2, 3, 3), 1, 1, 1, 1),
    ((1, 2, 7, 6), (2, 2, 2, 3), (2, 3), (0, 2), 1, 1),
    ((3, 1, 4, 4), (2, 1, 4, 4), 2, 3, 1, 1),
    ((1, 2, 6, 7), (2, 2, 2, 3), 1, (1, 0), (3, 2), 1),
    ((2, 4, 4, 3), (6, 2, 2, 2), 1, 0, 1, 2),
    ((1, 3, 5, 5), (6, 1, 3, 2), 2, 1, 2, 3),
]


def shared(x, w, b, *how):
    stride, padding, dilation, groups = how
    return conv2d(x, w, b, stride=stride, padding=padding, dilation=dilation, groups=groups)


def loss(x, w, b, how, weights):
    return (np.tanh(shared(x, w, b, *how)) * weights).sum()


for image, filters, *how in CASES:
    x, w, b = some(0.1, *image), some(0.2, *filters), some(0.3, filters[0])
    expected = by_loops(x, w, b, *how)
    plain = shared(x, w, b, *how)
    print(plain.shape, bool(np.allclose(plain, expected, rtol=1e-12, atol=1e-12)), end=" ")
    print(stage(shared)(x, w, b, *how).tobytes() == plain.tobytes(), end=" ")
    print(bool(np.allclose(shared(x, w, None, *how), expected - b.reshape(-1, 1, 1))), end=" ")
    there = [it.to("simt") for it in (x, w, b)]
    for found in (shared(*there, *how), stage(shared)(*there, *how)):
        print(bool(np.allclose(found.to("cpu"), expected, rtol=1e-12, atol=1e-12)), end=" ")
    for dtype in ("float32", "float16", "bfloat16"):
        narrow = [it.astype(dtype) for it in (x, w, b)]
        here, there_too = shared(*narrow, *how), shared(*(it.to("simt") for it in narrow), *how)
        near = np.abs(here.astype("float64") - there_too.to("cpu").astype("float64")) <= 64 * np.finfo(dtype).eps
        print(here.dtype == dtype, bool(near.all()), end=" ")

    # Of each operand.
    weights = some(0.4, *expected.shape)
    def of_weights(x, w, b, weights):
        return loss(x, w, b, how, weights)

    found = grad(of_weights, (0, 1, 2))(x, w, b, weights)
    on_device = grad(of_weights, (0, 1, 2))(*there, weights.to("simt"))
    staged = stage(lambda x, w, b: grad(of_weights, (0, 1, 2))(x, w, b, weights))(x, w, b)
    for position, (gradient, its, staged_too) in enumerate(zip(found, on_device, staged)):
        operands = [x, w, b]
        expected_gradient = np.zeros(operands[position].size)
        for at in range(operands[position].size):
            ends = []
            for step in (1e-6, -1e-6):
                moved = operands[position].reshape(-1).copy()
                moved[at] += step
                changed = operands[:position] + [moved.reshape(operands[position].shape)] + operands[position + 1 :]
                ends.append(float(loss(*changed, how, weights)))
            expected_gradient[at] = (ends[0] - ends[1]) / 2e-6
        near = np.allclose(gradient.reshape(-1), expected_gradient, rtol=1e-6, atol=1e-7)
        print(bool(near), bool(np.allclose(its.to("cpu"), gradient)), bool(np.allclose(staged_too, gradient)), end=" ")
    print()

x, w = some(1, 1, 2, 3, 3), some(2, 1, 2, 2, 2)
for call in (
    lambda: conv2d(x[0], w),
    lambda: conv2d(x, w[:, :1]),
    lambda: conv2d(x, some(2, 1, 2, 4, 4)),
    lambda: conv2d(x, w, stride=0),
    lambda: conv2d(x, w, padding=(1, -1)),
    lambda: conv2d(x, w, stride=1.5),
    lambda: conv2d(x, w, padding=(1, 2, 3)),
    lambda: conv2d(x, w, 0.5, 2),
    lambda: conv2d(x, w, dilation=3),
    lambda: conv2d(x, w, dilation=(1, 0)),
    lambda: conv2d(x, w, dilation="2"),
    lambda: conv2d(x, w, groups=0),
    lambda: conv2d(x, w, groups=2.0),
    lambda: conv2d(x, w, groups=3),
    lambda: conv2d(x, some(2, 3, 1, 2, 2), groups=2),
    lambda: conv2d(x, some(2, 4, 2, 2, 2), groups=2),
    lambda: conv2d(x, some(2, 4, 1, 2, 2), 0.5, groups=2),
):
    for f in (call, stage(call)):
        try:
            print(f().shape)
        except (TypeError, ValueError) as error:
            print(type(error).__name__, error)
