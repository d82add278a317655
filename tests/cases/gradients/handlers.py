# Many places that raise, and few handlers: paths that have raised in different places are one behind the handler.
import math
import traceback

from snekpy import grad, stage, value_and_grad


def inner(x):
    return math.log(x)


def many(x, n):
    total = 0.0
    for i in range(n):
        try:
            total += math.sqrt(x - 1.0 * i)
            total += inner(x - 0.5 * i) + math.log(1.0 + total)
            total += math.asin(x * 0.1 * i) * math.acos(x * 0.05)
            total += 1.0 / (n - i - 2) + math.exp(total * 0.01)
            total += math.sqrt(2.0 - x) * math.log(3.0 - x) * math.sqrt(2.5 - x)
        except ValueError:
            total += x * x * i
        except ZeroDivisionError:
            total += x * 0.25
        total = math.tanh(total * 0.5 + x)
    return total


def made(x):
    # A comprehension that is unrolled, each item of which may raise.
    items = [math.sqrt(x + j) for j in range(20)]
    return sum(items) + sum([math.log(x + j) for j in range(1, 7)])


def numbered(x, n):
    try:
        if x < 1.0:
            raise KeyError(n)
        if x < 2.0:
            raise KeyError(n + 1)
        if x < 3.0:
            raise KeyError(2 * n)
        return x
    except KeyError as error:
        return x * x * error.args[0]


class Stop(Exception):
    def __init__(self, by):
        self.by = by


def carried(x):
    try:
        if x < 1.0:
            raise Stop(x * x)
        if x < 2.0:
            raise Stop(x * 3.0)
        return x
    except Stop as stop:
        return stop.by * 2.0


def raised_again(x, n):
    try:
        if x < 1.0:
            y = math.sqrt(x - 5.0)
        elif x < 2.0:
            y = inner(x - 5.0)
        elif x < 3.0:
            raise KeyError(n)
        elif x < 4.0:
            raise KeyError(n + 1)
        else:
            y = 1.0 / (n - n)
    except ValueError as error:
        raise error
    except ZeroDivisionError as error:
        raise RuntimeError(n) from error
    finally:
        n = n * 2
    return y


def run(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__)


def lines(f, *args):
    """Where it raises: the lines, without those of this file's helpers."""
    try:
        f(*args)
    except Exception as error:
        found = []
        while error is not None:
            trace = traceback.extract_tb(error.__traceback__)
            found.append((type(error).__name__, [it.name for it in trace if it.name in ("inner", "raised_again")]))
            found.append([it.lineno for it in trace if it.name in ("inner", "raised_again")])
            error = error.__cause__
        return found
    return None


for x in 0.3, 1.7, 2.7, 4.5:
    for n in 0, 3, 6:
        run("many", lambda: [round(it, 6) for it in value_and_grad(many)(x, n)])
run("made", lambda: round(grad(made)(0.5), 6))
run("made raises", lambda: grad(made)(-0.5))
run("made raises late", lambda: grad(made)(-1.5))
for x in 0.5, 1.5, 2.5, 3.5:
    run("numbered", lambda: round(grad(numbered)(x, 3), 6))
    run("carried", lambda: round(grad(carried)(x), 6))
again = stage(raised_again)
for x in 0.5, 1.5, 2.5, 3.5, 4.5:
    for n in 2, 3:
        run("raised again", lambda: grad(raised_again)(x, n))
        print(lines(raised_again, x, n) == lines(again, x, n) == lines(grad(raised_again), x, n), lines(again, x, n))
