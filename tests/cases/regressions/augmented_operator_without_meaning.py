# An augmented assignment that two numbers do not have names itself.
from snekpy import stage


def xor(f, i):
    f ^= i


def left(f, i):
    f <<= i


def both(f, i):
    f &= i


def at(f, i):
    f @= i


for function in (xor, left, both, at):
    for values in ((0.5, 1), (1, 0.5), (True, 0.5)):
        try:
            stage(function)(*values)
        except TypeError as error:
            print(error)
