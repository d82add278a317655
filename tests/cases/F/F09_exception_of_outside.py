# F09: an exception object of a global variable is raised: it is that very object, and its traceback grows.
#@ reference snekpy: the words of the TypeError have changed since CPython 3.11
from snekpy import stage

known = ValueError("z")
known.__cause__ = None


@stage
def f(x):
    if x:
        raise known
    return x


def length(trace):
    return 0 if trace is None else 1 + length(trace.tb_next)


for x in (0, 1, 1, 0, 1):
    try:
        print(f(x))
    except ValueError as e:
        print(length(e.__traceback__), e is known, e.__suppress_context__)


@stage
def number(x):
    raise x


for x in (1, 0.5, True):
    try:
        number(x)
    except TypeError as e:
        print(e)
