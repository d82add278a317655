# Loops that read a number of a device in each iteration, the next of which are begun before: each beside the same one of plain
# Python, by bits.
#@ coverage varies: where a loop is entered again depends on when a signal is seen
#@ reference snekpy: CPython has no devices
import signal
import warnings

import snekpy.numpy as np
from snekpy import stage, value_and_grad

D = "simt"
IS_SIMULATED = D.startswith("s")
warnings.simplefilter("ignore")


def shown(value):
    if isinstance(value, np.ndarray):
        return value.device, value.dtype.name, value.shape, value.to("cpu").tobytes()
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [shown(it) for it in value]
    return repr(value)


def numbers(seed, *dims, dtype="float32"):
    size = 1
    for dim in dims:
        size *= dim
    return (np.sin(np.arange(size) * 1.7 + seed) * 0.6).reshape(*dims).astype(dtype).to(D)


def ahead(staged):
    """How many runs had been begun when the loop came to them; none can be said of code that was not staged."""
    rows = staged.stats()["specialisations"]
    return sum(it["runs_ahead"] for it in rows) if rows else None


def beside(function, *calls, begins=True):
    """All results are kept, and looked at when the last call has ended."""
    staged = stage(function)
    found, expected = [], []
    for call in calls:
        for into, each in ((expected, function), (found, staged)):
            args = call()
            try:
                into.append((each(*args), args))
            except Exception as error:
                lines, traceback = [], error.__traceback__
                while traceback is not None:
                    lines.append(traceback.tb_lineno)
                    traceback = traceback.tb_next
                into.append((type(error).__name__, str(error), lines[1:], args))
    for turn, pair in enumerate(zip(found, expected)):
        assert shown(pair[0]) == shown(pair[1]), (function.__name__, turn, pair)
    # Other devices begin what pays.
    assert not IS_SIMULATED or ahead(staged) is None or begins is None or begins == (ahead(staged) > 0), function.__name__
    print(function.__name__)


def matrix(n, dtype="float32"):
    return (np.eye(n, dtype=dtype) * 2 + 0.01).to(D)


def solves(a, b, x, tolerance):
    r = b - a @ x
    n = 0
    while (r * r).sum() > tolerance:
        x = x + 0.1 * r
        r = b - a @ x
        n += 1
    return x, n


beside(solves, *[lambda i=i: (matrix(8), numbers(i, 8), numbers(9, 8), [1e-3, 1e-5, 0.5, 1e-4][i]) for i in range(4)])
beside(solves, *[lambda i=i: (matrix(5, "float64"), numbers(i, 5, dtype="float64"), numbers(9, 5, dtype="float64"), 1e-6)
                 for i in range(3)])
beside(solves, *[lambda i=i: (matrix(5, "float16"), numbers(i, 5, dtype="float16"), numbers(9, 5, dtype="float16"), 0.01)
                 for i in range(3)])


def counts(x, most):
    """Ints, truth values, and what is computed with a number before it is read."""
    seen, n = [], 0
    while not (x.max() - 1 > most) and n < 40:
        x = x * 3 // 2 + 1
        seen.append((int(x.sum()), bool((x > 20).any()), x.min().item(), float(-x[0] * 2)))
        n += 1
    return x, seen


beside(counts, *[lambda i=i: ((np.arange(6) + i).astype("int32").to(D), [200, 5000, 3, 90000][i]) for i in range(4)])
beside(counts, *[lambda i=i: ((np.arange(6) + i).to(D), [200, 5000, 3, 90000][i]) for i in range(4)])


def loss(w, v, x, y):
    h = np.maximum(x @ w, 0)
    e = h @ v - y
    return (e * e).sum()


def model(seed=0):
    return numbers(seed + 1, 6, 5), numbers(seed + 2, 5, 3), numbers(seed + 3, 4, 6), numbers(seed + 4, 4, 3)


def trains(w, v, x, y, patience, steps):
    """Losses are kept, the best weights as well, and it stops early."""
    losses, best, best_w, bad = [], float("inf"), None, 0
    for step in range(steps):
        value, (dw, dv) = value_and_grad(loss, argnums=(0, 1))(w, v, x, y)
        now = float(value)
        losses.append(now)
        if now < best * 0.99:
            best, best_w, bad = now, w, 0
        else:
            bad += 1
            if bad > patience:
                break
        w = w - 0.02 * dw
        v = v - 0.02 * dv
    return losses, best, best_w, w, v


beside(trains, *[lambda i=i: (*model(i), 2 + i, 40) for i in range(3)])


def keeps(w, x, steps):
    """What each iteration gives is kept, and the half of it is looked at later."""
    kept, sizes = [], []
    for _ in range(steps):
        x = np.tanh(x @ w) @ w + x * 0.5
        size = abs(x).max()
        kept.append((x, size))
        sizes.append(float(size))
    return kept, sizes


beside(keeps, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 20 + i) for i in range(3)])


def writes_to_what_stays(w, x, steps):
    n = 0.0
    for i in range(steps):
        x = np.tanh(x @ w) + x * 0.5
        n += float(x.sum())
        if i % 9 == 8:
            w[0, 1] = i
    return x, n


beside(writes_to_what_stays, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 40) for i in range(3)])


def writes_to_what_was_made(w, x, steps):
    n = 0.0
    for i in range(steps):
        x = np.tanh(x @ w) + x * 0.5
        n += float(x.sum())
        if i > 12:
            x[i % 3] = 0.25
    return x, n


beside(writes_to_what_was_made, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 30) for i in range(3)])


def writes_later(w, x, steps):
    """To what an iteration before has made, of which a view is still there."""
    n, old, views = 0.0, x, []
    for i in range(steps):
        view = x[1:]
        x = np.tanh(x @ w) + x * 0.5
        n += float(x.sum())
        if i % 5 == 4:
            old += 1
            views.append(view)
        old = x
    return x, n, old, views


beside(writes_later, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 30) for i in range(3)], begins=None)


def turns(a, b, w, least):
    """What was given two iterations ago comes again; what is given is what was passed."""
    n = 0
    while True:
        a, b = b, np.tanh(a @ w) * 0.9 + b * 0.05
        n += 1
        if float(abs(b).max()) < least or n > 50:
            return a, b, n


one = numbers(3, 4, 4)
beside(
    turns,
    lambda: (numbers(1, 4, 4), numbers(2, 4, 4), numbers(3, 4, 4), 1e-3),
    lambda: (one, one, one, 1e-3),
    lambda: (one, one.T, one, 1e-2),
    lambda: (one.T, numbers(5, 8, 8)[::2, 1::2], one, 1e-4),
    begins=None,
)


def differs(w, x, steps):
    """Not each iteration does the same."""
    seen = []
    for i in range(steps):
        x = np.tanh(x @ w) + x * 0.5
        if i % 4 == 3:
            x = x @ w * 0.5
        if i > 16:
            seen.append(float(x.sum()))
        else:
            seen.append(float(x.max()))
    return x, seen


beside(differs, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 40) for i in range(3)], begins=None)


def raises(w, x, bound):
    n = 0
    while True:
        x = np.tanh(x @ w) + x * 0.97
        n += 1
        assert float(x.sum()) > -100, n
        if float(x.max()) > bound:
            raise ValueError(n, x.min().item())
        if n == 40:
            return x


beside(raises, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), [2.0, 3.0, 100.0][i]) for i in range(3)])


def nested(w, x, outer):
    total, counts = [], []
    for k in range(outer):
        n = 0
        y = x * (1.0 + k)
        while float((y * y).sum()) > 0.01 and n < 30:
            y = np.tanh(y @ w) * 0.5
            n += 1
        counts.append(n)
        total.append(y)
        x = x + y
    return np.stack(total), counts, x


beside(nested, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 6) for i in range(3)], begins=None)


def positions(w, x, at, steps):
    """Which rows are read stays, or depends on the iteration before."""
    n = 0
    for _ in range(steps):
        rows = x[at]
        x = np.tanh(rows @ w) + rows * 0.5
        n += int(x.argmax())
    return x, n


beside(positions, *[lambda i=i: (numbers(i, 4, 4), numbers(1, 4, 4), np.array([i % 4, 1, 0, -1]).to(D), 20) for i in range(3)])


def walks(x, at, steps):
    path = []
    for _ in range(steps):
        value = x[at]
        at = (at * 5 + 3) % 7
        path.append(float(value.sum()))
    return at, path


beside(walks, *[lambda i=i: (numbers(i, 7), np.array([i % 4, 1, 0]).to(D), 20) for i in range(3)], begins=None)


def batches(w, v, x, y, epochs):
    """Parts of arrays move on, to their end and from their beginning again."""
    losses = []
    for _ in range(epochs):
        for at in range(0, len(x), 2):
            value, (dw, dv) = value_and_grad(loss, argnums=(0, 1))(w, v, x[at:at + 2], y[at:at + 2])
            w = w - 0.02 * dw
            v = v - 0.02 * dv
            losses.append(float(value))
    return losses, w, v


beside(batches, *[lambda i=i: (*model(i)[:2], numbers(i, 400, 6), numbers(9, 400, 3), 2) for i in range(3)])


def backwards(w, x, steps):
    """To the beginning of an array; a part of it is written to before it is read."""
    total, seen = np.zeros((3,), dtype="float32", device=D), []
    for i in range(steps, 0, -1):
        total = np.tanh((x[i] + total) @ w)
        if i == 12:
            x[10] = 0.5
        seen.append(total.max().item())
    return total, seen


beside(backwards, *[lambda i=i: (numbers(i, 3, 3), numbers(i + 1, 31, 3), 30 - i) for i in range(3)])


def copies(w, x, steps):
    """Asked for, so that nobody is warned."""
    seen = []
    for i in range(steps):
        x = np.tanh(x @ w) + x * 0.5
        size = abs(x).max().to("cpu")
        seen.append(size)
        if size > 3:
            break
    return x, seen


beside(copies, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 20 + i) for i in range(3)])


def prints(w, x, steps):
    for i in range(steps):
        x = np.tanh(x @ w) + x * 0.5
        size = x.sum()
        if i % 3 == 0:
            print(i, f"{float(size):.6f}")
    return x, size


beside(prints, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 18) for i in range(2)])


def not_numbers(w, x, steps):
    n = 0
    for i in range(steps):
        x = (x @ w) * 1e12
        if not float(x.sum()) < float("inf"):
            n += 1
    return x, n


beside(not_numbers, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 20) for i in range(2)])


def steps_of_another(w, x, bias, steps):
    """A number that changes is no part of what is begun."""
    rate, seen = 1.0, []
    for i in range(steps):
        x = np.tanh(x @ w) + bias
        seen.append(float(x.sum()))
        x = x * rate
        rate *= 0.9
    return x, seen


beside(steps_of_another, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), numbers(2, 4), 20) for i in range(3)], begins=None)


def decays(w, v, x, y, rate, by, steps):
    """A rate that becomes less by a factor, and one that is less by so much each time."""
    losses, other = [], 0.5
    for step in range(steps):
        value, (dw, dv) = value_and_grad(loss, argnums=(0, 1))(w, v, x, y)
        losses.append(float(value))
        w = w - rate * dw
        v = v - other * 0.01 * dv
        rate *= by
        other -= 0.01
    return losses, w, v, rate, other


beside(decays, *[lambda i=i: (*model(i), 0.02, [0.99, 0.5, 1.0, 1e-3][i], 30) for i in range(4)])
beside(decays, *[lambda i=i: (*[it.astype("float64") for it in model(i)], 0.02, 0.9, 30) for i in range(3)])
beside(decays, *[lambda i=i: (*[it.astype("float16") for it in model(i)], 0.25, 0.75, 30) for i in range(3)])


def counted(w, x, steps):
    """The number of the iteration, as a float, a part of one, and what it divides."""
    seen = []
    for i in range(steps):
        x = np.tanh(x @ w + i) * 0.5 + x / (i + 1) - float(i) * 0.001
        x = np.maximum(x, i * 0.03)
        seen.append(float(x.sum()))
    return x, seen


beside(counted, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 30) for i in range(3)])


def jumps(w, x, at, steps):
    """Not what was guessed, from some iteration on; a number that is also a constant; the same number twice."""
    rate, same, seen = 0.5, 0.5, []
    for i in range(steps):
        x = np.tanh(x @ w * rate) + x * 0.5 - same * x
        seen.append((float(x.sum()), bool(x.max() > rate)))
        rate = rate * 0.9 if i % at else 0.5
        same = rate if i < 20 else same * 0.5
    return x, seen, rate


beside(jumps, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), [12, 7, 50, 3][i], 40) for i in range(4)], begins=None)


def by_what_was_read(w, x, steps):
    """The next number depends on what the device has computed."""
    rate, seen = 0.5, []
    for i in range(steps):
        x = np.tanh(x @ w * rate) + x * 0.5
        seen.append(float(x.sum()))
        rate = rate * 0.9 if seen[-1] > 0 else rate * 1.1
    return x, seen


beside(by_what_was_read, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), 30) for i in range(3)], begins=None)


def to_its_end(w, x, rate, by, steps):
    """Numbers that overflow, vanish, or are none."""
    seen = []
    for i in range(steps):
        x = np.tanh(x @ w) * rate
        seen.append(float(x.sum()))
        rate = rate * by
    return x, seen, rate


ends = [(1e300, 100.0), (1e-300, 1e-3), (float("nan"), 0.5), (-0.0, -1.0), (1.0, -1.0)]
beside(to_its_end, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), *ends[i], 30) for i in range(5)])


def ints_that_change(x, steps):
    """Of ints: the dtype of the array decides what they become."""
    n, seen = 1, []
    for i in range(steps):
        x = (x * 3 + n) % 1000 - i
        n += 7
        seen.append(int(x.sum()))
    return x, n, seen


beside(ints_that_change, *[lambda i=i: ((np.arange(6) + i).astype("int32").to(D), 30) for i in range(3)], begins=None)


def powers(x, steps):
    """An exponent is no number like others."""
    seen = []
    for i in range(steps):
        x = abs(x) ** (i % 4) * 0.5 + x ** 2 - 0.1
        seen.append(float(x.sum()))
    return x, seen


beside(powers, *[lambda i=i: (numbers(i, 5), 30) for i in range(3)], begins=None)


def several_of_a_size(w, x, steps):
    """Rows, what is folded, and products: small ones become one kernel, large ones do not."""
    seen = []
    for _ in range(steps):
        e = np.exp(x - x.max(axis=1, keepdims=True))
        x = (e / e.sum(axis=1, keepdims=True)) @ w + x * 0.25
        x = x - x.mean(axis=0)
        seen.append(float((x * x).mean()))
    return x, seen


beside(several_of_a_size, *[lambda i=i: (numbers(i, 6, 6), numbers(i + 1, 9, 6), 20) for i in range(3)])
beside(several_of_a_size, *[lambda i=i: (numbers(i, 90, 90), numbers(i + 1, 70, 90), 9) for i in range(2)])
staged = stage(several_of_a_size)
for _ in range(3):
    staged(numbers(1, 6, 6), numbers(2, 9, 6), 20)
print(not IS_SIMULATED or not staged.stats()["specialisations"] or "of one block" in staged.inspect("plan"))


def signalled(w, x, steps):
    """A handler changes what the loop reads."""
    seen = []
    for i in range(steps):
        x = np.tanh(x @ w) + x * 0.5
        seen.append(float(x.sum()))
        if i == 14:
            signal.raise_signal(signal.SIGUSR1)
    return x, seen


def handled():
    for staged in (signalled, stage(signalled), stage(signalled)):
        w, x = numbers(1, 4, 4), numbers(2, 3, 4)

        def handler(number, frame):
            w[1, 1] = 3.0

        signal.signal(signal.SIGUSR1, handler)
        for _ in range(3):
            yield shown(staged(w, x, 30))


found = list(handled())
assert found[:3] == found[3:6] == found[6:]
print("signalled")


def warned(w, x, steps):
    n = 0.0
    for i in range(steps):
        x = np.tanh(x @ w) + x * 0.5
        n += float(x.sum())
        n += float(x.max())
    return n


for how in ("always", "default", "error", "once"):
    told = []
    for function in (warned, stage(warned)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(how)
            warned.__globals__.pop("__warningregistry__", None)
            lines = []
            for _ in range(3):
                try:
                    lines.append(function(numbers(1, 4, 4), numbers(2, 3, 4), 15))
                except Warning as warning:
                    lines.append(str(warning))
            told.append((lines, [(it.lineno, str(it.message)) for it in caught]))
    assert told[0] == told[1], (how, told)
    print(how, len(told[0][1]))


def two_devices(w, x, other, steps):
    n = 0.0
    for i in range(steps):
        x = np.tanh(x @ w) + x * 0.5
        n += float(x.sum())
        other = other * 0.5 + 1
        n += float(other.sum())
    return x, other, n


# The memory of two simulated GPUs is beside each other in many ways.
others = [np.zeros(1 + i * 7 % 40, dtype="float32").to(("simt", "simt:1")[i * i % 7 % 2]) for i in range(300)]
for turn in range(10):
    others = others[turn % 2 :: 2] + [np.zeros(1 + i * 5 % 30, dtype="float32").to(("simt:1", "simt")[i % 3 % 2]) for i in range(99)]
    beside(two_devices, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 3, 4), numbers(1, 3).to("simt:1"), 15) for i in range(3)],
           begins=None)
