# M01: the traceback of an error in staged code names the file, the function and the line, with its text.
import traceback

from snekpy import stage


def f(x):
    y = x * 2
    if x > 0:
        return 10 // (x - 1) + y
    return y


f = stage(f)
print(f(3), f(-1))
try:
    f(1)
except ZeroDivisionError as error:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    print(frame.name, frame.lineno, frame.line)
