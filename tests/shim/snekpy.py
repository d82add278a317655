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


# Derivatives by differences: an oracle that knows nothing of how snekpy differentiates. `fun` is called many times.


def _floats(tree):
    """The floats of an argument or result, in order."""
    if isinstance(tree, float):
        return [tree]
    if isinstance(tree, (tuple, list)):
        return [x for item in tree for x in _floats(item)]
    if isinstance(tree, dict):
        return [x for item in tree.values() for x in _floats(item)]
    return _floats(vars(tree)) if hasattr(tree, "__dict__") and not callable(tree) else []


def _like(tree, leaves, other=lambda tree: tree):
    """Something of the same shape; `leaves` gives what takes the place of each float, `other` what of anything else."""
    if isinstance(tree, float):
        return next(leaves)
    if isinstance(tree, (tuple, list)):
        return type(tree)([_like(item, leaves, other) for item in tree])
    if isinstance(tree, dict):
        return {name: _like(item, leaves, other) for name, item in tree.items()}
    if hasattr(tree, "__dict__") and not callable(tree):
        made = object.__new__(type(tree))
        made.__dict__.update(_like(vars(tree), leaves, other))
        return made
    return other(tree)


def _none(_):
    """What a gradient has where its argument has no float."""


def _derivative(f, x):
    """The derivatives of the floats that f gives for a float: central differences, twice extrapolated."""
    def quotients(h):
        return [(a - b) / (2 * h) for a, b in zip(_floats(f(x + h)), _floats(f(x - h)))]

    one, two, four = quotients(1e-4), quotients(2e-4), quotients(4e-4)
    first = [((4 * a - b) / 3, (4 * b - c) / 3) for a, b, c in zip(one, two, four)]
    return [(16 * a - b) / 15 for a, b in first]


def _columns(fun, args, chosen):
    """For each float in the chosen arguments, the derivatives of all floats of the result by it."""
    values = _floats([args[index] for index in chosen])
    tree = _like(tuple(args[index] for index in chosen), iter(values))
    args = [_like(arg, iter(_floats(arg))) for arg in args]

    def moved(position, x):
        point = _like(tree, iter(values[:position] + [x] + values[position + 1:]))
        changed = [_like(arg, iter(_floats(arg))) for arg in args]
        for index, arg in zip(chosen, point):
            changed[index] = arg
        return fun(*changed)

    return tree, [_derivative(lambda x, p=p: moved(p, x), values[p]) for p in range(len(values))]


def jacobian(fun, argnums=0, has_aux=False):
    """Each float of the result replaced by its derivatives."""
    chosen = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    value = (lambda *args: fun(*args)[0]) if has_aux else fun

    def derivatives(*args):
        tree, columns = _columns(value, args, chosen)
        result = fun(*args)
        rows = [_like(tree, iter(row), _none) for row in zip(*columns)]
        rows = [row[0] for row in rows] if isinstance(argnums, int) else rows
        if has_aux:
            return _like(result[0], iter(rows)), result[1]
        return _like(result, iter(rows))

    return derivatives


grad = jacrev = jacfwd = jacobian


def value_and_grad(fun, argnums=0, has_aux=False):
    """The result and its derivatives."""
    def both(*args):
        found = jacobian(fun, argnums, has_aux)(*args)
        return fun(*args), found[0] if has_aux else found

    return both


def hessian(fun, argnums=0):
    """Second derivatives."""
    return jacobian(jacobian(fun, argnums), argnums)


def jvp(fun, primals, tangents):
    """The result, and its derivative along the tangents."""
    _, columns = _columns(fun, primals, range(len(primals)))
    along = [sum(d * t for d, t in zip(row, _floats(tangents))) for row in zip(*columns)]
    value = fun(*primals)
    return value, _like(value, iter(along))


def vjp(fun, *primals):
    """The result, and a function of its cotangents."""
    tree, columns = _columns(fun, primals, range(len(primals)))
    return fun(*primals), lambda ct: _like(
        tree, iter(sum(d * c for d, c in zip(col, _floats(ct))) for col in columns), _none
    )


def linearize(fun, *primals):
    """The result, and a function of the tangents."""
    return fun(*primals), lambda *tangents: jvp(fun, primals, tangents)[1]
