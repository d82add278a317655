# A `finally` that may raise itself, behind many places that raise, each with a text of its own: no path has to meet
# another one behind it, where nothing looks at the exception. And powers in `try`.
#@ reference snekpy: Python 3.11 has other texts, and steps of differences raise
import math
import traceback

from snekpy import grad, stage


def worked(x, y, n):
    items = [x, y * 0.5, 0.75] + [math.sin(y + j) for j in range(n)]
    a, b, c = x, 0.5 * y, 0.25
    try:
        for i in range(n):
            items[-1] = math.log(1.5 + math.sin(b if a > c else y)) / (x - 1.0 * i)
            c = math.tanh((max(items) - min(items)) * 0.75 + x)
        b = items[n] * math.asin(x * 0.25) + math.exp(y)
        c = math.sqrt(a - 0.5)
    except ValueError:
        a = math.log(1.5 + math.sin(b)) - math.sqrt(1.0 + math.cos(1.25) * 0.5)
    finally:
        c = math.tanh(c + b / (1.5 + math.cos(a)) + math.exp(math.sin(x + a)) + math.sqrt(y))
    return a * b + c


def inner(x):
    return math.log(x)


def cleared(x, n):
    total = x
    for i in range(n):
        try:
            try:
                total = total * math.sqrt(2.0 - total) + inner(1.5 - 0.1 * i)
            except ValueError:
                total = total * math.acos(x - 2.0)
                continue
            finally:
                total = total * 0.5 + math.log(total + x)
        except ZeroDivisionError:
            total = 1.0
    return total


def power(x, y):
    try:
        return (x - 1.0) ** y * x
    except ZeroDivisionError:
        return x * x * y
    except OverflowError:
        return x * y
    finally:
        y = y * 2.0


def whole(x, n):
    try:
        return (x - 1.0) ** -n * x
    except ZeroDivisionError as error:
        return x * x * len(error.args)
    finally:
        x = (x + 10.0) ** n


def lines(f, *args):
    """What is raised, with its contexts, and the lines."""
    try:
        return [round(it, 4) for it in f(*args)] if type(f(*args)) is tuple else round(f(*args), 4)
    except Exception as error:
        found = []
        while error is not None:
            trace = [it for it in traceback.extract_tb(error.__traceback__) if it.name in ("inner", "worked", "cleared")]
            found.append((type(error).__name__, str(error)[:8], [(it.name, it.lineno) for it in trace]))
            error = error.__context__
        return found


for f in worked, stage(worked), grad(worked, argnums=(0, 1)):
    for x, y in (0.7, 0.4), (0.3, 0.4), (2.0, 0.4), (4.5, 0.4), (4.5, -0.4), (0.7, -0.4), (0.3, -0.4), (2.0, -0.4), (0.3, 800.0):
        print(x, y, lines(f, x, y, 3))
for f in cleared, stage(cleared), grad(cleared):
    for x in 0.7, 1.5, 2.5, 3.5, -1.0:
        print(x, lines(f, x, 4))
for x, y in (3.0, 1.5), (1.0, -1.5), (1e200, 2.5), (-3.0, 3.0):
    print(x, y, lines(power, x, y), lines(stage(power), x, y), lines(grad(power), x, y))
for x, n in (3.0, 2), (1.0, 2), (3.0, -2):
    print(x, n, lines(whole, x, n), lines(stage(whole), x, n), lines(grad(whole), x, n))
