"""The module `snekpy` for a Python that has no staging: every name means "run it as it is".

`tests/bless` puts this folder on the path of CPython, so that the programs under `tests/` and
`examples/` run there unchanged and their output can be recorded as what the staged run must print.
"""

import queue
import threading


class StagingError(Exception):
    """Never raised here: nothing is staged."""


class Static:
    """The annotation of a parameter that is known when the function is staged."""


def stage(function=None, **options):
    """The function itself; with options alone, a decorator that returns the function itself."""
    if function is None:
        return lambda function: function
    return function


def lms(function):
    """The function itself."""
    return function


def rep_fun(function):
    """The function itself."""
    return function


def stage_lambda(function, *args, **options):
    """The function itself."""
    return function


class ContinuationError(RuntimeError):
    """`shift` outside of `reset`, or a second call of a continuation: here each can be called once only."""


def reset(function):
    """Calls the function; `shift` inside takes the rest of the computation.

    A computation that can be taken runs in a thread of its own, which waits where it has called `shift`.
    """
    return _delimited(_Computation(function).start)


def shift(function):
    """Takes the rest of the computation as a function that can be called once."""
    computation = getattr(_current, "computation", None)
    if computation is None:
        raise ContinuationError("`shift` is called outside of `reset`")
    return computation.shift(function)


_current = threading.local()


def _delimited(start):
    """Runs a computation up to its end: what it asks for at a `shift` goes on in its place."""
    while True:
        what, value = start()
        if what == "returned":
            return value
        if what == "raised":
            raise value
        function, rest = value
        start = _Computation(lambda function=function, rest=rest: function(rest)).start


class _Computation:
    """A function that runs in a thread, up to its end or up to its next `shift`."""

    def __init__(self, function):
        self.function = function
        self.events = queue.Queue()
        self.values = queue.Queue()
        self.taken = 0

    def start(self):
        threading.Thread(target=self.run, daemon=True).start()
        return self.events.get()

    def run(self):
        _current.computation = self
        try:
            self.events.put(("returned", self.function()))
        except BaseException as error:
            self.events.put(("raised", error))

    def shift(self, function):
        self.taken += 1
        number, used = self.taken, []

        def rest(value):
            if used or number != self.taken:
                raise ContinuationError("a continuation is called for the second time")
            used.append(True)
            return _delimited(lambda: (self.values.put(value), self.events.get())[1])

        self.events.put(("asked", (function, rest)))
        return self.values.get()
