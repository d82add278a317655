"""The papers' cases: `python3 record.py` has JAX compute them in double precision, `snekpy papers.py expectations.txt`
compares, to 1e-10, gradients that are called plainly and those that staged code calls.

One text for both: `cases` is given the array library and the derivatives, and what it defines are the programs of

- Wang et al., "Demystifying Differentiable Programming" (Lantern): `squash` (a loop whose count depends on what is
  differentiated), recursion over lists and over trees;
- Tai et al., "Improved Semantic Representations From Tree-Structured Long Short-Term Memory Networks": a TreeLSTM whose
  tree is data;
- AutoGraph and Lantern: training in the compiled program, and a recurrent network over sequences of different lengths;
- Finn et al., "Model-Agnostic Meta-Learning": gradients through steps of gradient descent.
"""

import sys

TOLERANCE = 1e-10


def cases(np, grad, value_and_grad):
    """Pairs of a name and a function without arguments that gives floats and arrays, in dicts, tuples and lists."""

    def numbers(seed, *dims):
        count = 1
        for n in dims:
            count *= n
        flat = [((i * 37 + seed * 101) % 199 - 99) / 150.0 for i in range(count)]
        return np.asarray(flat).reshape(dims)

    # Lantern, figure 2.
    def squash(x):
        while (x * x).sum() > 1.0:
            x = 0.5 * x * np.cos(x)
        return (x * x).sum() + x.sum()

    # Lantern, figure 4: folds of lists and trees.
    def fold(items, at, x):
        if at == len(items):
            return x
        return np.tanh(items[at] * fold(items, at + 1, x) + x)

    def of_list(x, items):
        return fold(items, 0, x).sum()

    def tree(values, left, right, at, x):
        if left[at] < 0:
            return values[at] * x
        return np.sin(tree(values, left, right, left[at], x)) * tree(values, left, right, right[at], x) + values[at]

    def of_tree(x, values, left, right):
        return tree(values, left, right, 0, x).sum()

    def sigmoid(x):
        return 1.0 / (1.0 + np.exp(-x))

    # The binary TreeLSTM.
    def lstm(p, words, left, right, at):
        if left[at] < 0:
            gates = p["w"] @ words[at] + p["b"]
            c = sigmoid(gates[0:3]) * np.tanh(gates[3:6])
            return sigmoid(gates[6:9]) * np.tanh(c), c
        (hl, cl), (hr, cr) = lstm(p, words, left, right, left[at]), lstm(p, words, left, right, right[at])
        gates = p["u"] @ hl + p["v"] @ hr + p["c"]
        kept = sigmoid(gates[9:12]) * cl + sigmoid(gates[12:15]) * cr
        c = sigmoid(gates[0:3]) * np.tanh(gates[3:6]) + kept
        return sigmoid(gates[6:9]) * np.tanh(c), c

    def tree_loss(p, words, left, right):
        h, c = lstm(p, words, left, right, 0)
        return ((h - 0.25) ** 2).sum() + 0.1 * (c * c).sum()

    # A recurrent network over sequences of different lengths.
    def recurrent(p, xs, lengths):
        total = 0.0
        for k in range(len(lengths)):
            h = p["h"]
            for i in range(lengths[k]):
                h = np.tanh(p["w"] @ h + p["u"] * xs[k, i])
            total = total + ((h - 0.1) ** 2).sum()
        return total

    # Training in the program: what it ends with, and derivatives of that.
    def fit(p, xs, ys):
        return ((np.tanh(xs @ p["w"] + p["b"]) @ p["v"] - ys) ** 2).mean()

    def trained(p, xs, ys, steps, rate):
        for _ in range(steps):
            g = grad(fit)(p, xs, ys)
            p = {name: p[name] - rate * g[name] for name in p}
        return p

    def after_training(p, xs, ys, steps, rate):
        return fit(trained(p, xs, ys, steps, rate), xs, ys)

    # Several tasks.
    def meta(p, tasks, steps):
        total = 0.0
        for xs, ys in tasks:
            total = total + fit(trained(p, xs, ys, steps, 0.1), xs * 0.5, ys + 0.1)
        return total / len(tasks)

    left, right = [1, 3, 5, -1, -1, -1, -1], [2, 4, 6, -1, -1, -1, -1]
    uneven, other = [1, -1, 3, 5, -1, -1, -1], [2, -1, 4, 6, -1, -1, -1]
    gates = {"w": numbers(1, 9, 2), "b": numbers(2, 9), "u": numbers(3, 15, 3), "v": numbers(4, 15, 3), "c": numbers(5, 15)}
    net = {"w": numbers(6, 2, 3), "b": numbers(7, 3), "v": numbers(8, 3)}
    cell = {"w": numbers(9, 3, 3), "u": numbers(10, 3), "h": numbers(11, 3)}
    xs, ys = numbers(12, 4, 2), numbers(13, 4)
    tasks = [(numbers(20 + k, 4, 2), numbers(30 + k, 4)) for k in range(3)]

    yield "squash", lambda: grad(squash)(numbers(14, 3) * 9.0)
    yield "squash, at once", lambda: grad(squash)(numbers(14, 3) * 0.5)
    yield "recursion over a list", lambda: grad(of_list, argnums=(0, 1))(numbers(15, 2), [0.5, -1.25, 2.0, 0.75])
    yield "recursion over a tree", lambda: grad(of_tree)(numbers(16, 2), [0.5, 1.5, -0.5, 0.25, 1.0, -2.0, 0.75], left, right)
    yield "TreeLSTM", lambda: grad(tree_loss)(gates, numbers(17, 7, 2), left, right)
    yield "TreeLSTM, another tree", lambda: grad(tree_loss)(gates, numbers(17, 7, 2), uneven, other)
    yield "lengths", lambda: grad(recurrent)(cell, numbers(18, 3, 6), [6, 0, 3])
    yield "in-graph training", lambda: (trained(net, xs, ys, 20, 0.1), fit(trained(net, xs, ys, 20, 0.1), xs, ys))
    yield "through training", lambda: grad(after_training)(net, xs, ys, 3, 0.1)
    yield "by the rate", lambda: grad(after_training, argnums=4)(net, xs, ys, 3, 0.1)
    yield "MAML", lambda: value_and_grad(meta)(net, tasks, 2)


def flat(value):
    if type(value) in (tuple, list):
        return [it for item in value for it in flat(item)]
    if type(value) is dict:
        return [it for name in sorted(value) for it in flat(value[name])]
    if hasattr(value, "shape"):
        return [float(it) for it in value.reshape(-1).tolist()]
    return [float(value)]


def main(path):
    import snekpy.numpy as np
    from snekpy import grad, stage, value_and_grad

    expected = {}
    for line in open(path):
        name, *values = line.rstrip("\n").split("\t")
        expected[name] = [float.fromhex(it) for it in values]
    failed = 0
    for name, case in cases(np, grad, value_and_grad):
        plain, staged = flat(case()), flat(stage(case)())
        wanted = expected.pop(name)
        off = max(abs(a - b) / (1.0 + abs(b)) for a, b in zip(plain, wanted))
        ok = len(plain) == len(wanted) and off <= TOLERANCE and plain == staged
        failed += not ok
        print(f"{'ok' if ok else 'WRONG'} {name}: {len(wanted)} numbers, off by {off:.1e}, staged {plain == staged}")
    print(f"{failed} wrong, {len(expected)} not computed")
    sys.exit(bool(failed or expected))


if __name__ == "__main__":
    main(sys.argv[1])
