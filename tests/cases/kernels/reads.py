# Loops that read numbers of arrays on a device: what they give, and of what they warn, is what plain functions do.
#@ reference snekpy: CPython has no devices
import math
import signal
import sys
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import stage

DEVICE = "simt"
MODES = ("default", "ignore", "error", "always", "once", "module")
limit = 1.0


def shown(value):
    if isinstance(value, np.ndarray):
        return value.device, value.dtype.name, value.shape, value.to("cpu").tobytes()
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [shown(it) for it in value]
    return type(value).__name__, repr(value)


def lines_of(error):
    lines, traceback = [], error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == __file__:
            lines.append((traceback.tb_frame.f_code.co_name, traceback.tb_lineno))
        traceback = traceback.tb_next
    return lines[1:]


def watched(function, args, mode, hook=None):
    """What a call on arrays that were never looked at gives, and of what it warns, where no line has warned before."""
    seen = []

    def show(message, category, filename, lineno, file=None, line=None):
        seen.append((str(message), category.__name__, filename, lineno))
        if hook is not None:
            seen.append(hook(len(seen)))

    args = [it.copy() if isinstance(it, np.ndarray) else it for it in args]
    globals().pop("__warningregistry__", None)
    kept, warnings.showwarning = warnings.showwarning, show
    warnings.simplefilter(mode, snekpy.ImplicitCopyWarning)
    try:
        found = "gave", shown(function(*args))
    except Exception as error:
        found = "raised", type(error).__name__, str(error), lines_of(error)
    finally:
        warnings.showwarning = kept
        warnings.resetwarnings()
    return found, seen


def same(function, *args, modes=MODES, hook=None, again=3):
    staged = stage(function)
    for mode in modes:
        for turn in range(again):
            expected = watched(function, args, mode, hook)
            found = watched(staged, args, mode, hook)
            assert found == expected, (function.__name__, mode, turn, found, expected)


def halves(x, tol):
    n = 0
    while (x * x).sum() > tol:
        x = x * 0.5 + 0.01
        n += 1
    return x, n


def numbers(x):
    total, found = 0.0, []
    for i in range(6):
        total += float(x.sum()) + x[0].item() + x.item(i)
        found.append(int(x.max()) + i)
        if bool(x.min() > 2):
            break
        x = x + 1
    return total, found, x


def lists(x):
    kept = []
    for i in range(4):
        kept.append((x[:3] + i).tolist())
        x = x * 2
    return kept, kept[2][1] + 1


def tests(x):
    n = 0
    for i in range(8):
        if x.sum() > 20 and not x[1] > 9:
            n += 1
        elif x[0] == 1:
            n += 100
        n += 10 if (x < 3).all() else 0
        x = x + 1
    return n


def inside_try(x):
    n = 0
    for i in range(5):
        try:
            n += int(x.sum())
        except snekpy.ImplicitCopyWarning as warning:
            n += 1000
            if i == 3:
                raise ValueError(n) from warning
        finally:
            x = x + 1
    return n, x


def nested(x, y):
    n = 0
    while x.sum() < 40:
        m = 0
        while float((y * m).sum()) < 6:
            m += 1
            if (y + m).max() > 5:
                break
        x = x + m
        n += m
    return n, x


def escapes(x):
    kept, views = [], []
    while x.sum() < 60:
        kept.append(x)
        views.append(x[1:])
        y = x
        x = x * 1.5
        x[0] = float(y[1]) + 1
        y += 1
    return kept, views, x


def fails(x, at):
    n = 0
    while True:
        n += int(x[n])
        if n > at:
            return [1, 2, 3][n]
        if n == at:
            x = x.reshape(3, 7)


def ambiguous(x):
    for i in range(3):
        if i == 2:
            x = x[0]
        if x > 1:
            return i
    return None


def huge(x):
    kept = []
    for i in range(4):
        kept.append(int(x[0]))
        x = x * 1e9
    return kept, float(x[1]), math.sqrt(x[0]), math.isnan(x[2])


def indices(x, items):
    found = []
    for i in range(3):
        found.append(items[int(x[i])])
        for j in range(x[i].item()):
            found.append(j)
    return found


def lengths(x):
    norm, n = 0.0, 0
    while (
        norm
        + x.sum()
        < limit
    ):
        norm = (
            norm + math.sqrt((x * x).sum()) +
            1
        )
        n += 1
    return norm, n


def helper(x):
    return float(
        x.sum()
    )


def calls(x):
    total = 0.0
    for i in range(4):
        total += helper(x * i) + np.linalg.norm(x).item()
    return total


def hands_out(x):
    return f"{x.max().item():.2f}", [str(float(it)) for it in x[:3]]


x = np.arange(12, dtype="float32").to(DEVICE)
same(halves, x, 1.0)
same(numbers, x)
same(numbers, np.arange(12, dtype="int64").to(DEVICE))
same(lists, x)
same(lists, np.arange(12, dtype="bfloat16").to(DEVICE))
same(tests, np.ones(4, dtype="float32").to(DEVICE))
same(inside_try, x)
same(nested, x[:4], np.ones(3, dtype="float64").to(DEVICE))
same(fails, np.ones(21, dtype="int32").to(DEVICE), 5)
same(ambiguous, x)
same(huge, np.array([1.5, 2.5, float("nan")], dtype="float64").to(DEVICE))
same(indices, np.array([2, 0, 1], dtype="int64").to(DEVICE), ["a", "b", "c"])
limit = 40.0
same(lengths, np.ones(5, dtype="float32").to(DEVICE))
same(calls, x)
same(hands_out, x)

for mode in MODES:
    staged = stage(escapes)
    for _ in range(3):
        one, other = (np.arange(1, 6, dtype="float64").to(DEVICE) for _ in range(2))
        expected, found = watched(escapes, (one,), mode), watched(staged, (other,), mode)
        assert found == expected and shown(one) == shown(other), (mode, found, expected)


# A hook sees the program as it is, and may change it, and raise.
def looks(count):
    frame = sys._getframe()
    while frame.f_code.co_name != "halves":
        frame = frame.f_back
    return frame.f_lineno, frame.f_locals["n"], shown(frame.f_locals["x"])


def raises(count):
    if count > 6:
        raise KeyError(count)


def changes(count):
    global limit
    limit -= 2.5
    return limit


same(halves, x, 1.0, hook=looks)
same(halves, x, 1.0, hook=raises, modes=("always",))
staged = stage(lengths)
for mode in MODES:
    limit = 40.0
    expected = watched(lengths, (x * 0.1,), mode, changes)
    left, limit = limit, 40.0
    found = watched(staged, (x * 0.1,), mode, changes)
    assert found == expected and left == limit, (mode, found, expected, left, limit)


# Filters that name lines, texts and modules.
def filtered(*filters):
    def run(function):
        globals().pop("__warningregistry__", None)
        with warnings.catch_warnings(record=True) as seen:
            warnings.resetwarnings()
            for how in filters:
                how()
            found = shown(function(x.copy(), 1.0))
        return found, [(str(it.message), it.lineno, it.filename) for it in seen]

    staged = stage(halves)
    for _ in range(3):
        expected, found = run(halves), run(staged)
        assert found == expected, (found, expected)


ours = snekpy.ImplicitCopyWarning
filtered(lambda: warnings.filterwarnings("ignore", message="1 bytes", category=RuntimeWarning))
filtered(lambda: warnings.filterwarnings("ignore", message="2 bytes", category=RuntimeWarning))
filtered(lambda: warnings.filterwarnings("ignore", module="__main__$", category=ours))
filtered(lambda: warnings.filterwarnings("ignore", module="other", category=ours))
filtered(lambda: warnings.filterwarnings("ignore", category=ours, lineno=1))
filtered(lambda: warnings.filterwarnings("ignore", category=ours, lineno=halves.__code__.co_firstlineno + 2))
filtered(lambda: warnings.simplefilter("ignore"), lambda: warnings.simplefilter("always", ours))


# What is read waits for what leads to it, and an interrupt comes through.
class Rang(Exception):
    pass


def ring(*_):
    raise Rang


def for_ever(x, seen):
    n = 0
    while x.sum() > 0:
        n += 1
        seen[0] = n
        x = x * 1.0
    return n


warnings.simplefilter("ignore", ours)
signal.signal(signal.SIGALRM, ring)
for function in (for_ever, stage(for_ever)):
    seen = [0]
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        function(x, seen)
        print("ended")
    except Rang as error:
        assert seen[0] > 0 and lines_of(error)[0][0] == "for_ever", (seen, lines_of(error))

# Where nothing is shown, compiled code goes on.
staged = stage(halves)
staged(x, 1.0)
print("left" in str(staged.stats()))
print("same")
