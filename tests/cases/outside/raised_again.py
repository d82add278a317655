# One exception object raised several times grows its traceback.
import traceback
from snekpy import stage


def entries(e):
    return [(f.name, f.lineno) for f in traceback.extract_tb(e.__traceback__)]


@stage
def twice(n):
    e = ValueError(n)
    try:
        raise e
    except ValueError:
        pass
    raise e


@stage
def nested(n):
    try:
        inner(n)
    except ValueError as e:
        try:
            raise e
        except ValueError as f:
            raise f


def inner(n):
    raise ValueError(n)


@stage
def in_loop(n):
    e = KeyError(n)
    for i in range(n):
        try:
            raise e
        except KeyError:
            pass
    raise e


@stage
def passed(e, n):
    try:
        raise e
    except ValueError:
        pass
    raise e


for f in (twice, nested, in_loop):
    for n in (2, 3):
        try:
            f(n)
        except Exception as e:
            print(f.__name__, repr(e), entries(e))
e = ValueError("kept")
for n in (1, 2):
    try:
        passed(e, n)
    except ValueError as f:
        print(f is e, entries(e))
