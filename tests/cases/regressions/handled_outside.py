"""What the caller of staged code handles is the context of what is raised and caught inside, and what a bare `raise` raises."""

#@ reference snekpy: what is said of a division by zero

import io
import sys
import traceback

from snekpy import stage


class Own(Exception):
    pass


def chain(error):
    names = []
    while error is not None and len(names) < 6:
        names.append(type(error).__name__)
        error = error.__context__
    return names


def caught(i):
    try:
        return [1, 2][i]
    except IndexError as error:
        return type(error.__context__).__name__


def shown(i):
    try:
        return [1, 2][i]
    except IndexError as error:
        return chain(error)


def in_a_loop(i):
    found = []
    for k in range(i):
        try:
            found.append([1, 2][k])
        except IndexError as error:
            found.append(chain(error))
    return found


def twice(i):
    try:
        try:
            return [1, 2][i]
        except IndexError:
            return 1 // (i - i)
    except ZeroDivisionError as error:
        return chain(error), error.__context__.__context__ is None


def own(i):
    try:
        raise Own(i)
    except Own as error:
        return chain(error), error.args


def from_none(i):
    try:
        raise KeyError(i) from None
    except KeyError as error:
        return chain(error), error.__suppress_context__, error.__cause__


def never_raised(i):
    error = ValueError(i)
    return error.__context__, chain(error)


def kept(i):
    errors = []
    for k in range(3):
        try:
            1 // (k - i)
        except ZeroDivisionError as error:
            errors.append(error)
    return errors


def escapes(i):
    return [1, 2][i + 1]


def bare(i):
    if i > 2:
        raise
    return i


def asked(i):
    try:
        [1, 2][i]
    except IndexError:
        inner = type(sys.exception()).__name__
    else:
        inner = "none"
    return inner, type(sys.exception()).__name__, type(sys.exc_info()[1]).__name__


def printed(i):
    out = io.StringIO()
    try:
        [1, 2][i]
    except IndexError:
        traceback.print_exc(file=out)
    return [line for line in out.getvalue().splitlines() if not line.startswith("  ")]


def cleaned(i):
    found = []
    try:
        try:
            found.append([1, 2][i])
        finally:
            found.append(i)
    except IndexError as error:
        found.append(chain(error))
    return found


def generated(i):
    def items():
        for k in range(i):
            try:
                yield [1, 2][k]
            except IndexError as error:
                yield chain(error)

    return list(items())


def outside(function, i, handles):
    try:
        if handles:
            try:
                raise LookupError("first")
            except LookupError:
                raise ArithmeticError("second")
        return function(i)
    except ArithmeticError:
        try:
            result = function(i)
        except Exception as error:
            return "raises", chain(error)
        if isinstance(result, list):
            result = [chain(it) if isinstance(it, Exception) else it for it in result]
        return result


for function in (caught, shown, in_a_loop, twice, own, from_none, never_raised, kept, escapes, bare, asked, printed):
    staged = stage(function)
    for i in (5, 1, 5, 3, 0, 2):
        for handles in (True, False, True):
            try:
                print(function.__name__, outside(staged, i, handles))
            except Exception as error:
                print(function.__name__, "raises", type(error).__name__, chain(error))
for function in (cleaned, generated):
    staged = stage(function)
    for i in (5, 1, 5, 3):
        print(function.__name__, outside(staged, i, True), staged(i))
