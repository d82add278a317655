# What is not iterable is an error where the iterator is made, in the words of the instruction.
import traceback

from snekpy import stage


def mapped(i, v):
    return map(abs, v)


def filtered(i, v):
    return next(filter(abs, v), 0)


def starred(i, v):
    a, *b = v
    return a


def unpacked(i, v):
    a, b = v
    return a


for function in (mapped, filtered, starred, unpacked):
    for value in (None, 3):
        try:
            stage(function)(1, value)
        except TypeError as error:
            print(error, [frame.name for frame in traceback.extract_tb(error.__traceback__)])
