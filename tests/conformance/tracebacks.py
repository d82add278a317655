# Tracebacks as values.
import sys
import traceback


def inner(x):
    return 1 / x


def outer(x):
    return inner(x) + 1


try:
    outer(0)
except ZeroDivisionError as error:
    for frame in traceback.extract_tb(error.__traceback__):
        print(frame.name, frame.lineno, frame.line)
    print(traceback.format_exception_only(error)[-1].split(":")[0], sys.exc_info()[0].__name__)
print(sys.exc_info())


def deep(n):
    return deep(n + 1)


try:
    deep(0)
except RecursionError:
    print("recursion")
error = ValueError("noted")
error.add_note("a note")
print(error.__notes__)
