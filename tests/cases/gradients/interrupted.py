# A gradient that is interrupted, or fails, leaves behind what the function has done by then, and nothing else.
#@ reference snekpy: differences call the function several times
import signal

import snekpy
from snekpy import grad

class State:
    begun = 0
    ended = 0


log, notes, state = [], {}, State()
state.begun, state.ended = 0, 0


class Stopped(Exception):
    pass


def stop(number, frame):
    raise Stopped


def f(x, n):
    y = x
    state.begun = n
    for i in range(n):
        log.append(i)
        y = y * 0.5 + x
        notes["last"] = i
    state.ended = n
    return y * y


def fails(x, n):
    y = x
    for i in range(n):
        log.append(y)
        y = y / (3.0 - i)
    return y


def nested(x, n):
    return 0.0 if n == 0 else x + nested(x * 0.5, n - 1)


def of_nested(x, n):
    log.append("before")
    y = nested(x, n)
    log.append("behind")
    return y * y


def called(g, *args, polls=0):
    log.clear()
    notes.clear()
    state.begun, state.ended = 0, 0
    if polls:
        snekpy._signal_at_poll(polls, signal.SIGALRM)
    try:
        return g(*args)
    except (Stopped, ZeroDivisionError, RecursionError) as error:
        return type(error).__name__
    finally:
        snekpy._signal_at_poll(0, signal.SIGALRM)


signal.signal(signal.SIGALRM, stop)
for name, g, args in ("f", grad(f), (1.0, 5)), ("nested", grad(of_nested), (1.0, 3)):
    print(name, called(g, *args), log, notes, vars(state))
    whole, seen = (list(log), dict(notes), dict(vars(state))), set()
    for polls in range(1, 25):
        if called(g, *args, polls=polls) != "Stopped":
            continue
        # Part of what the whole call does, in order; on the way back all of it.
        seen.add((log == whole[0][: len(log)], notes.get("last", -1) + 1 in (len(log), len(log) - 1, 0), state.ended))
    print(all(it[0] for it in seen), all(it[1] for it in seen))
print(called(grad(fails), 1.0, 6), log)
print(called(grad(of_nested), 1.0, 10**6), log)
