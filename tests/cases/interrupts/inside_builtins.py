#@ coverage varies: signals come at any time
# A builtin over code of the program is interrupted in that code: it sees the exception, and is in the traceback.
import signal
import traceback

from snekpy import stage


def handler(number, frame):
    raise KeyError("signal")


class Counter:
    def __init__(self):
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.i += 1
        return self.i


def numbers(log):
    i = 0
    try:
        while True:
            i += 1
            yield i
    finally:
        log.append("closed")


def stubborn():
    i = 0
    while True:
        try:
            while True:
                i = (i + 1) & 1023
                yield i
        except KeyError:
            yield -7
            return


def total(log):
    return sum(numbers(log))


def of_class(log):
    counter = Counter()
    try:
        return all(counter)
    finally:
        log.append(counter.i > 1000)


def of_expression(log):
    return max(x & 255 for x in Counter())


def goes_on(log):
    return min(stubborn())


def caught(log):
    try:
        return sum(numbers(log))
    except KeyError as error:
        log.append([entry.name for entry in traceback.extract_tb(error.__traceback__)])
        return None


signal.signal(signal.SIGVTALRM, handler)
for f in (total, of_class, of_expression, goes_on, caught):
    log = []
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
    try:
        result = stage(f)(log)
    except KeyError as error:
        result = [entry.name for entry in traceback.extract_tb(error.__traceback__)]
    # In `Counter.__next__`, or beside it.
    if type(result) is list and f is not of_class:
        result = [it for it in result if it != "__next__"]
    print(f.__name__, result, log)
