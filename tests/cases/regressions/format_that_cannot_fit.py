# A format specification that an object cannot take raises where the text is made: what was done before stays done.
from snekpy import stage

log = []
count = 0


def shown(n, pair):
    global count
    count = n + 1
    log.append(n)
    return f"{pair:.3f}"


def printed(n, pair):
    log.append(n)
    print(f"{n} {pair!r:d}")


def caught(n, pair):
    try:
        return f"{pair:>9}{n}"
    except TypeError:
        return f"{n:>9}"


for function in (shown, printed, caught):
    for pair in ((1, 2), [3]):
        try:
            print(stage(function)(0, pair))
        except (TypeError, ValueError) as error:
            print(type(error).__name__)
        print(log, count)
        log.clear()
