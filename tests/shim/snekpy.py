"""The module `snekpy` for a Python that has no staging: every name means "run it as it is".

`tests/bless` puts this folder on the path of CPython, so that the programs under `tests/` and
`examples/` run there unchanged and their output can be recorded as what the staged run must print.
"""


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


def static_print(*args, **options):
    """Prints nothing: in an unstaged run there is no staging time at which to print."""
