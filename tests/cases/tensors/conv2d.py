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


def by_loops(x, w, b, down, right, above, left):
    x, w, b = x.tolist(), w.tolist(), b.tolist()
    height, width, rows, columns = len(x[0][0]), len(x[0][0][0]), len(w[0][0]), len(w[0][0][0])

    def pixel(image, channel, i, j):
        return image[channel][i][j] if 0 <= i < height and 0 <= j < width else 0.0

    def place(image, filters, bias, i, j):
        total = bias
        for channel, rows_of in enumerate(filters):
            for p, row in enumerate(rows_of):
                for q, weight in enumerate(row):
                    total += weight * pixel(image, channel, i * down + p - above, j * right + q - left)
        return total

    ys = range((height + 2 * above - rows) // down + 1)
    xs = range((width + 2 * left - columns) // right + 1)
    return np.asarray([[[[place(image, f, c, i, j) for j in xs] for i in ys] for f, c in zip(w, b)] for image in x])


CASES = [
    ((1, 1, 3, 3), (1, 1, 1, 1), 1, 0),
    ((2, 3, 6, 5), (4, 3, 3, 2), 1, 0),
    ((2, 2, 5, 7), (3, 2, 3, 3), 1, 1),
    ((1, 2, 7, 6), (2, 2, 2, 3), (2, 3), (0, 2)),
    ((3, 1, 4, 4), (2, 1, 4, 4), 2, 3),
]


def shared(x, w, b, stride, padding):
    return conv2d(x, w, b, stride=stride, padding=padding)


def loss(x, w, b, stride, padding, weights):
    return (np.tanh(shared(x, w, b, stride, padding)) * weights).sum()


for image, filters, stride, padding in CASES:
    x, w, b = some(0.1, *image), some(0.2, *filters), some(0.3, filters[0])
    down, right = (stride, stride) if isinstance(stride, int) else stride
    above, left = (padding, padding) if isinstance(padding, int) else padding
    expected = by_loops(x, w, b, down, right, above, left)
    plain = shared(x, w, b, stride, padding)
    print(plain.shape, bool(np.allclose(plain, expected, rtol=1e-12, atol=1e-12)), end=" ")
    print(stage(shared)(x, w, b, stride, padding).tobytes() == plain.tobytes(), end=" ")
    print(bool(np.allclose(conv2d(x, w, stride=stride, padding=padding), expected - b.reshape(-1, 1, 1))), end=" ")
    there = [it.to("simt") for it in (x, w, b)]
    for found in (shared(*there, stride, padding), stage(shared)(*there, stride, padding)):
        print(bool(np.allclose(found.to("cpu"), expected, rtol=1e-12, atol=1e-12)), end=" ")
    for dtype in ("float32", "float16", "bfloat16"):
        narrow = [it.astype(dtype) for it in (x, w, b)]
        here, there_too = shared(*narrow, stride, padding), shared(*(it.to("simt") for it in narrow), stride, padding)
        near = np.abs(here.astype("float64") - there_too.to("cpu").astype("float64")) <= 64 * np.finfo(dtype).eps
        print(here.dtype == dtype, bool(near.all()), end=" ")

    # Of each operand.
    weights = some(0.4, *expected.shape)
    def of_weights(x, w, b, weights):
        return loss(x, w, b, stride, padding, weights)

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
                ends.append(float(loss(*changed, stride, padding, weights)))
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
):
    for f in (call, stage(call)):
        try:
            print(f().shape)
        except (TypeError, ValueError) as error:
            print(type(error).__name__, error)
