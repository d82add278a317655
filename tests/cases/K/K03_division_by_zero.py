# K03: division by zero, each operator and type. CPython 3.14 words the messages for floats and for
# `%` differently from 3.11, so only the type is printed.
from snekpy import stage


def true(a, b):
    return a / b


def floor(a, b):
    return a // b


def modulo(a, b):
    return a % b


def both(a, b):
    return divmod(a, b)


def power(a, b):
    return a**b


for function in (true, floor, modulo, both):
    staged = stage(function)
    for a, b in ((1, 0), (0, 0), (1.0, 0), (1, 0.0), (1.0, -0.0), (False, False), (6, 3)):
        try:
            print(function.__name__, staged(a, b))
        except ZeroDivisionError as error:
            print(function.__name__, type(error).__name__)
staged = stage(power)
for a, b in ((0, -1), (0.0, -1), (0.0, -0.5), (0, 0)):
    try:
        print("power", staged(a, b))
    except ZeroDivisionError as error:
        print("power", type(error).__name__)
