# Stands behind the prelude where calls are interrupted: once, by a handler that raises or that changes something.
import signal
from snekpy import _signal_at_poll


class Late(Exception):
    pass


# What has come of the interruption of a call.
ARRIVED = []


def arrive(change):
    """What the handler does: it raises, or changes something and returns."""
    ARRIVED.append(True)
    if change is None:
        raise Late
    LOG.append("late")
    try:
        exec(change, globals())
    except Exception as error:
        LOG.append(type(error).__name__)


# How many polls are left until then; by now there may have been some calls.
LEFT = None


def at_poll(polls, change):
    """Arranges for `arrive` when compiled code has looked up so many times, in this call and those before."""

    def handler(number, frame):
        arrive(change)

    signal.signal(signal.SIGALRM, handler)
    _signal_at_poll(polls if LEFT is None else LEFT, signal.SIGALRM)


def no_more():
    global LEFT
    LEFT = _signal_at_poll(0, signal.SIGALRM)


# The oracle has others: at the n-th instruction of plain Python.
ARRANGE = globals().get("ARRANGE", (at_poll, no_more))
HIDDEN |= {"arrive", "armed", "handler"}


def begin():
    """A program begins: nothing is left of those before."""
    random.seed(1)
    LOG.clear()
    global LEFT
    LEFT = None
    ARRIVED.clear()


def interrupted(moment, change, action, *names):
    """Calls, and is interrupted, unless that was done."""
    if ARRIVED:
        return call(action, *names)

    def armed():
        ARRANGE[0](moment, change)
        try:
            return action()
        finally:
            ARRANGE[1]()

    call(armed, *names)
    print("   interrupted" if ARRIVED else "   in peace", flush=True)
