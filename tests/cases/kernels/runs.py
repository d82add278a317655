# Runs of operations in loops on a device, which are begun again: each loop beside the same one of plain Python, by bits.
#@ coverage varies: where a loop is entered again depends on when a signal is seen
#@ reference snekpy: CPython has no devices
import signal
import warnings

import snekpy
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


def numbers(seed, *dims):
    size = 1
    for dim in dims:
        size *= dim
    return (np.sin(np.arange(size) * 1.7 + seed) * 0.6).reshape(*dims).astype("float32").to(D)


def is_begun_again(staged, expected):
    """Whether runs of a staged function were begun again, if it was staged at all."""
    rows = staged.stats()["specialisations"]
    return not rows or expected == any(it["replayed_runs"] for it in rows)


def beside(function, *calls, again=True):
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
    # Which calls are staged, and how many kernels a run has, is another matter on a GPU.
    assert not IS_SIMULATED or again is None or is_begun_again(staged, again), staged.stats()
    print(function.__name__)


def loss(w, v, x, y):
    h = np.maximum(x @ w, 0)
    e = h @ v - y
    return (e * e).sum()


def model(seed=0):
    return numbers(seed + 1, 6, 5), numbers(seed + 2, 5, 3), numbers(seed + 3, 4, 6), numbers(seed + 4, 4, 3)


def trains(w, v, x, y, steps):
    total = np.zeros((), dtype="float32", device=D)
    for _ in range(steps):
        value, (dw, dv) = value_and_grad(loss, argnums=(0, 1))(w, v, x, y)
        w = w - 0.01 * dw
        v = v - 0.01 * dv
        total = total + value
    return w, v, total


beside(trains, *[lambda i=i: (*model(i), 3 + 7 * i) for i in range(4)])


def keeps(w, x, steps):
    kept, views, last = [], [], x
    for _ in range(steps):
        h = np.tanh(x @ w)
        kept.append(h)
        views.append(h.T)
        e = np.exp(h) / (1 + np.exp(h).sum(axis=1, keepdims=True))
        last, x = x, (e @ w.T) @ w + last
    return kept, views, last, x


beside(keeps, *[lambda i=i: (numbers(i, 5, 5), numbers(i + 1, 3, 5), 9) for i in range(3)])


def writes(w, x, steps):
    y = x
    for i in range(steps):
        h = np.tanh(x @ w) @ w
        g = np.exp(h @ w) - x
        x = (g @ w + h) * 0.5
        view = x[1]
        x[0] = view * 2
        y += 1
        if i == 5:
            y = x
        h = (x @ w) @ w
        x = (h @ w - view) @ w * 0.1
    return x, y, view


beside(writes, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 4, 4), 12) for i in range(3)])


def differs(w, x, steps):
    rate = 0.5
    for i in range(steps):
        h = np.tanh(x @ w) @ w
        if i % 4 == 2:
            h = (h @ w) @ (h.T @ w)
        elif i == 9:
            continue
        x = x + ((h @ w) @ (h.T @ h)) * rate
        x = (x @ w) / (1 + abs(x @ w).max())
        if i > 20:
            rate = rate * 0.9
    return x


beside(differs, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 4, 4), 30) for i in range(3)])


def turns(a, b, w, steps):
    for _ in range(steps):
        a, b = b, np.tanh((a @ w) @ (b @ w)) @ w + a
    return a, b


one = numbers(3, 4, 4)
beside(
    turns,
    lambda: (numbers(1, 4, 4), numbers(2, 4, 4), numbers(3, 4, 4), 10),
    lambda: (one, one, one, 10),
    lambda: (one, one.T, one, 10),
    lambda: (one.T, numbers(5, 8, 8)[::2, 1::2], one, 11),
)


def changed():
    """Arrays that are the same at each call, written to in between."""
    w, x = numbers(1, 4, 4), numbers(2, 4, 4)

    def goes(steps):
        y = x
        for _ in range(steps):
            y = np.tanh((y @ w) @ w) @ (x @ w)
        return y

    staged = stage(goes)
    for i in range(6):
        w[i % 4] = i
        x[:, 1] += 0.5
        assert shown(staged(8)) == shown(goes(8)), i
    assert is_begun_again(staged, True), staged.stats()


changed()


def reads(w, x, least):
    n, seen = 0, []
    while True:
        h = np.tanh(x @ w) @ w
        x = ((h @ w) @ w - x) * 0.5
        size = float((x * x).sum())
        seen.append(size)
        n += 1
        if size < least:
            break
        if n == 30:
            raise ValueError(size)
    return x, n, seen


beside(reads, *[lambda i=i: (numbers(i, 4, 4), numbers(i + 1, 4, 4), [1e-6, 1e-3, -1.0, 1e-4][i]) for i in range(4)])


def nested(w, x, steps):
    outputs = []
    for i in range(steps):
        h = np.zeros((2, 4), dtype="float32", device=D)
        for t in range(6):
            joined = np.concatenate([x[t], h], axis=1)
            h = np.tanh(joined @ w) + (joined @ w) * 0.1
            h = h / (1 + abs(h @ h.T).sum())
        outputs.append(h)
        w = w + ((w @ h.T) @ h) * 0.01
    return np.stack(outputs), w


beside(nested, *[lambda i=i: (numbers(i, 7, 4), numbers(i + 1, 6, 2, 3), 5 + i) for i in range(3)])


def positions(w, x, at, steps):
    for _ in range(steps):
        rows = x[at]
        x = np.tanh((rows @ w) @ w) + (rows @ w) @ w
    return x


beside(positions, *[lambda i=i: (numbers(i, 4, 4), numbers(1, 4, 4), np.array([i % 4, 1, 0, -1]).to(D), 9) for i in range(4)])


def batches(w, x, steps):
    total = np.zeros((), dtype="float32", device=D)
    for i in range(steps):
        part = x[4 * i:4 * i + 4]
        h = np.tanh(part @ w) @ w
        total = total + ((h @ w) @ h.T).sum() + (h.T @ h).max()
        w = w - (h.T @ h) * 0.01
    return total, w


beside(batches, *[lambda i=i: (numbers(i, 4, 4), numbers(1, 40, 4), 6 + i * 2) for i in range(3)])


def rows(w, x, steps):
    """What is made of a part of an array shares its memory, or is next to another part."""
    kept = []
    for i in range(steps):
        row, next = x[i:i + 2], x[i + 1:i + 3]
        h = np.tanh(row @ w) @ w + next
        g = (h @ w) @ (h.T @ next)
        row += 1
        kept.append((g, row.T, (row @ w) @ w - g))
    return kept, x


beside(rows, *[lambda i=i: (numbers(i, 4, 4), numbers(1, 12, 4), 9) for i in range(3)])


def recurs(w, x, lengths, steps):
    """What depends on the counter comes before a run, or ends it."""
    h = np.zeros((3, 4), dtype="float32", device=D)
    outputs, rate = [], 1.0
    for t in range(steps):
        new = np.tanh(np.concatenate([x[t], h], axis=1) @ w)
        live = lengths > t
        h = np.where(live, new + (new @ new.T) @ h * 0.25, h)
        outputs.append(np.where(live, h, np.float32(0)))
        rate = rate * 0.75
        w = w - (w @ (h.T @ h)) * rate
    return np.stack(outputs), h, w


beside(recurs, *[lambda i=i: (
    numbers(i, 6, 4), numbers(1, 12, 3, 2), np.array([[9], [3], [12]]).to(D), 12 - i
) for i in range(3)])


def small(x, steps):
    for _ in range(steps):
        x = x * 0.5 + 0.25
        x = x - x.mean() * 0.125
    return x


beside(small, *[lambda i=i: (numbers(i, 40), 9) for i in range(3)], again=False)


# What is written to on the CPU is another operand in each iteration; what the code says, and views of it, is none.
def factor(x, steps):
    factor, kept = np.zeros(1, dtype="float32"), []
    for i in range(steps):
        factor[0] = i
        y = x * factor
        z = y + x
        kept.append(z * z - y)
    return kept


def table(x, steps):
    table, kept = np.arange(3), []
    for i in range(steps):
        table[1] = i % 3
        y = x[table] + 1
        z = y * y
        kept.append((z - y) * 2)
    return kept


def view_of_table(x, steps):
    table, kept = np.arange(4), []
    for i in range(steps):
        table[1] = i % 3
        y = x[table.reshape(2, 2)] + 1
        z = y * y
        kept.append((z - y) * 2)
    return kept


for each in factor, table, view_of_table:
    beside(each, *[lambda i=i: (numbers(i, 4, 3), 40) for i in range(4)], again=None)


# A gradient that is a function of its own, with positions that the code says; some losses are kept, and some parameters.
def distance(parameters, x, y):
    w1, b1, w2, b2 = parameters
    logits = np.maximum(x @ w1 + b1, 0) @ w2 + b2
    logits = logits - logits.max(axis=1, keepdims=True)
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return -np.take_along_axis(logs, y[:, None], axis=1).mean()


def descends(parameters, velocities, x, y, steps):
    losses, kept, loss = [], [], 0.0
    for turn in range(steps):
        loss, slopes = value_and_grad(distance)(parameters, x, y)
        velocities = [0.5 * v + g for v, g in zip(velocities, slopes)]
        parameters = [p - 0.01 * v for p, v in zip(parameters, velocities)]
        if turn % 7 == 3:
            losses.append(loss)
        if turn % 11 == 5:
            kept.append((parameters, velocities))
    return parameters, velocities, loss, losses, kept


def classes(seed):
    parameters = [numbers(seed + at, *dims) for at, dims in enumerate(((6, 5), (5,), (5, 3), (3,)))]
    y = (np.arange(8) * (seed + 3) % 3).to(D)
    return parameters, [np.zeros_like(p) for p in parameters], numbers(seed + 9, 8, 6), y


beside(descends, *[lambda i=i, steps=steps: (*classes(i), steps) for i, steps in enumerate((40, 40, 40, 3, 25, 40))])


# An interrupt finds a state that plain Python could be in, and nothing is kept of it.
class Rang(Exception):
    pass


def ring(*_):
    raise Rang


def steps_of(w, x, seen, steps):
    for i in range(steps):
        seen[0] = i
        x = np.tanh((x @ w) @ w) @ (x.T @ w)
    return x


signal.signal(signal.SIGALRM, ring)
staged = stage(steps_of)
for turn in range(3):
    seen = [0]
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        staged(one, numbers(turn, 4, 4), seen, 10**9)
        print("ended")
    except Rang:
        assert seen[0] > 0
    assert shown(staged(one, numbers(turn, 4, 4), seen, 20)) == shown(steps_of(one, numbers(turn, 4, 4), seen, 20))
print("interrupted")
