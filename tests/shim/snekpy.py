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


def parallel(function, shape, *args, dtype=None, target="cpu", fast=False):
    """The loop, and an array of the results."""
    results = [function(*index, *args) for index in _indices(shape)]
    if results and isinstance(results[0], tuple):
        return tuple(_array(column, dtype) for column in zip(*results))
    return _array(results, dtype)


def parallel_sum(function, shape, *args, target="cpu", fast=False):
    """The sum: of floats by blocks of 4096, lanes of 256 and halves."""
    values = [function(*index, *args) for index in _indices(shape)]
    if not any(isinstance(value, float) for value in values):
        return sum(values)
    while len(values) > 1:
        values = [_block(values[start : start + 4096]) for start in range(0, len(values), 4096)]
    return 0.0 + values[0]


def kernel(function, shape, *args, dtype=None, target="cpu", fast=False):
    """A function that runs the loop over a shape."""
    return lambda shape, *args: parallel(function, shape, *args, dtype=dtype)


def _indices(shape):
    import itertools

    extents = (shape,) if isinstance(shape, int) else shape
    return itertools.product(*map(range, extents))


def _array(values, dtype):
    import array

    natural = {float: "d", bool: "B", int: "q"}[type(values[0])] if values else "d"
    code = {"float64": "d", "float32": "f", "int64": "q", "bool": "B"}.get(dtype, dtype or natural)
    return array.array(code, values)


def _block(values):
    lanes = [-0.0] * 256
    for position, value in enumerate(values):
        lanes[position % 256] += value
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [lanes[lane] + lanes[lane + half] for lane in range(half)]
    return lanes[0]
