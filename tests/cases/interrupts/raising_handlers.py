#@ coverage varies: signals come at any time
# A signal handler that raises, at random times: what the program shows is a state that plain Python passes through, and
# all its handlers run.
import array
import random
import signal

from snekpy import stage


class Late(Exception):
    pass


def late(number, frame):
    raise Late


signal.signal(signal.SIGALRM, late)
times = random.Random(5)


class Model:
    def __init__(self):
        self.steps = 0
        self.loss = 0.0
        self.closed = 0


def writes(model, items, numbers):
    """Each round writes to an object, then a list, then an array."""
    while True:
        model.steps = model.steps + 1
        items[0] = items[0] + 1
        numbers[0] = numbers[0] + 1
        model.loss = model.loss + 0.5


def writes_are_whole(function):
    model, items, numbers = Model(), [0], array.array("q", [0])
    try:
        function(model, items, numbers)
    except Late:
        counts = [model.steps, items[0], numbers[0], int(2.0 * model.loss)]
        return counts == sorted(counts, reverse=True) and counts[0] - counts[-1] <= 1


def own_handler(start):
    """Variables of the interrupted frame, in its own handler."""
    i, total = start, 0
    try:
        while True:
            total = total + i
            i = i + 1
            if total > 1_000_000_000_000:
                total, i = 0, start
    except Late:
        return i, total


def own_variables_agree(function):
    try:
        i, total = function(3)
    except Late:
        # It came before the `try`.
        return True
    before = sum(range(3, i))
    return total in (before, before + i)


def bump(model):
    model.steps = model.steps + 1


def nested(model, x):
    """Effects in callees, `finally` and `with`."""
    try:
        while True:
            try:
                bump(model)
                x = x * 0.999 + 1.0
            finally:
                model.closed = model.closed + 1
    finally:
        model.loss = x


def finally_ran(function):
    model = Model()
    try:
        function(model, 1.0)
    except Late:
        # It may come before `bump` has written, or in `finally`. Plain RustPython sometimes skips the outer `finally`, so
        # that is not asked here.
        return model.closed - model.steps in (-1, 0, 1)


def fib(model, n):
    model.steps = model.steps + 1
    return n if n < 2 else fib(model, n - 1) + fib(model, n - 2)


def recursive(model, n):
    while True:
        model.loss = model.loss + fib(model, n)


def recursion_is_whole(function):
    """`fib(12)` makes 465 calls."""
    model = Model()
    try:
        function(model, 12)
    except Late:
        rounds = model.loss / 144.0
        return rounds == int(rounds) and 0 <= model.steps - 465 * rounds <= 465


def grow(model, items):
    while True:
        model.steps = model.steps + 1
        items.append(float(model.steps))
        if len(items) > 5000:
            items.clear()
            model.steps = 0


def lists_are_whole(function):
    model, items = Model(), []
    try:
        function(model, items)
    except Late:
        whole = items == [float(k + 1) for k in range(len(items))]
        return whole and (model.steps - len(items) in (0, 1) or model.steps == 5001 and not items)


for function, check in (
    (writes, writes_are_whole),
    (own_handler, own_variables_agree),
    (nested, finally_ran),
    (recursive, recursion_is_whole),
    (grow, lists_are_whole),
):
    staged = stage(function)
    seen = []
    for _ in range(25):
        signal.setitimer(signal.ITIMER_REAL, times.uniform(0.004, 0.04))
        seen.append(check(staged))
    print(check.__name__, all(seen), len(seen))
