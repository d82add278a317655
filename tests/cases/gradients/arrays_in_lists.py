# Arrays in lists that grow in loops which are too long to be taken apart: states of recurrent nets, rollouts, stacks.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import grad, jvp, stage, value_and_grad


def show(x):
    return [round(float(it), 4) + 0.0 for it in np.asarray(x).reshape(-1)]


W = np.asarray([[0.1, 0.2], [-0.3, 0.4]])
H = np.asarray([0.5, -0.25])


def inputs(n):
    return np.asarray([[0.1 * i % 1.0, 0.05 * i % 0.7] for i in range(n)])


def states(w, xs, h):
    hs = []
    for t in range(len(xs)):
        h = np.tanh(w @ h + xs[t])
        hs.append(h)
    return hs


def squares(w, xs, h):
    loss = 0.0
    for state in states(w, xs, h):
        loss = loss + (state * state).sum()
    return loss


def by_index(w, xs, h):
    hs = states(w, xs, h)
    loss = 0.0
    for k in range(len(hs)):
        loss = loss + (hs[k] * hs[-1 - k]).sum() * 0.1
    return loss


def with_targets(w, xs, h):
    loss = 0.0
    for k, (state, x) in enumerate(zip(states(w, xs, h), xs)):
        loss = loss + ((state - x) ** 2).sum() / (k + 1)
    return loss


def backwards(w, xs, h):
    loss = 0.0
    for state in reversed(states(w, xs, h)):
        loss = 0.9 * loss + state @ w @ state
    return loss


def stack(w, xs, h):
    """A stack that is popped as it grows."""
    kept, loss = [h], 0.0
    for x in xs:
        top = kept.pop()
        kept.append(np.sin(top) + w @ x)
        if x[0] > 0.5:
            kept.append(top * 0.5)
    while kept:
        loss = loss + (kept.pop() ** 2).sum()
    return loss


def pairs(w, xs, h):
    """Arrays and floats in tuples."""
    steps, loss = [], 0.0
    for t in range(len(xs)):
        h = np.tanh(w @ h + xs[t])
        steps.append((h, (h * h).sum().item(), t))
    for state, size, t in steps:
        loss = loss + state.sum() * size * (1 + t % 3)
    return loss


def exchanged(w, xs, h):
    """Items that are replaced, put between others and taken out from between."""
    hs, loss = states(w, xs, h), 0.0
    for k in range(len(hs) // 2):
        hs[k] = hs[k] * hs[len(hs) - 1 - k]
    hs.insert(1, w @ hs[0])
    gone = hs.pop(3)
    hs[0] = hs[0] + gone
    for k in range(len(hs)):
        loss = loss + (hs[k] ** 3).sum() * (k + 1)
    return loss


def of_lists(w, xs, h):
    """One list for each of two layers."""
    layers = [[], []]
    for t in range(len(xs)):
        h = np.tanh(w @ h + xs[t])
        layers[t % 2].append(h)
    loss = 0.0
    for a in layers[0]:
        loss = loss + a.sum()
    for b in layers[1]:
        loss = loss + (b * b).sum()
    return loss


LOSSES = (squares, by_index, with_targets, backwards, stack, pairs, exchanged, of_lists)
for n, losses in ((3, (stack, exchanged)), (40, LOSSES)):
    xs = inputs(n)
    for loss in losses:
        value, (by_w, by_h) = value_and_grad(loss, (0, 2))(W, xs, H)
        tangent = jvp(loss, (W, xs, H), (W * 0.5, xs * 0.1, H))[1]
        print(n, loss.__name__, show(value), show(by_w), show(by_h), show(tangent))


@stage
def trained(w, xs, h, steps):
    for _ in range(steps):
        value, by = value_and_grad(with_targets)(w, xs, h)
        w = w - 0.05 * by
    return value, w


for n in (5, 30):
    value, w = trained(W, inputs(n), H, 40)
    print(n, show(value), show(w))


@stage
def curvature(w, xs, h):
    return grad(lambda w: (grad(squares)(w, xs, h) ** 2).sum())(w)


print(show(curvature(W, inputs(30), H)))
