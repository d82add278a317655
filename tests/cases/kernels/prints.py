# Staged code that prints arrays on a device prints, and warns of copies, as plain functions do.
#@ reference snekpy: CPython has no devices
import io
import sys
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import stage

MODES = ("default", "ignore", "error", "always", "once", "module")


def watched(function, args, mode, hook=None):
    """What a call on arrays that were never looked at prints, gives and warns of, where no line has warned before."""
    seen = []

    def show(message, category, filename, lineno, file=None, line=None):
        seen.append((str(message), category.__name__, lineno, sys.stdout.getvalue()))

    args = [it.copy() if isinstance(it, np.ndarray) else it for it in args]
    globals().pop("__warningregistry__", None)
    kept = warnings.showwarning, sys.stdout
    warnings.showwarning, sys.stdout = show, io.StringIO()
    warnings.simplefilter(mode, snekpy.ImplicitCopyWarning)
    try:
        found = "gave", function(*args)
    except Exception as error:
        found = "raised", type(error).__name__, str(error), error.__traceback__.tb_next.tb_lineno
    finally:
        printed = sys.stdout.getvalue()
        warnings.showwarning, sys.stdout = kept
        warnings.resetwarnings()
    return found, printed, seen


def same(function, *args):
    staged = stage(function)
    for mode in MODES:
        for _ in range(3):
            expected, found = watched(function, args, mode), watched(staged, args, mode)
            assert found == expected, (function.__name__, mode, found, expected)


def prints(x):
    n = 0
    for i in range(5):
        print(i, x)
        n += i
        x = x * 2.0
    return n


def several(x, y):
    n = 0.0
    for i in range(4):
        print(x, [y, (x, i)], sep=" | ", end=".\n")
        y = y + x
        n += i
    print("end", x)
    return n


def texts(x):
    found = []
    for i in range(4):
        found.append(f"{i}: {x}" + str(x) + repr(x[1:]))
        print(f"{x}", x.sum())
        x = x - 0.5
    return found


def changed(x):
    for i in range(4):
        print(x)
        x[i] = -1.0
        print("now", x)
    return i


def failing(x):
    for i in range(4):
        print(x)
        x = x[1:]
        i // (2 - i)
    return i


x = np.linspace(0.0, 1.0, 4).to("simt")
same(prints, x)
same(several, x, x + 10)
same(texts, x)
same(changed, x)
same(failing, x)

# To standard output itself: where nothing is shown, compiled code goes on.
warnings.simplefilter("ignore", snekpy.ImplicitCopyWarning)
staged = stage(prints)
for _ in range(3):
    staged(x)
print("left" in str(staged.stats()))
