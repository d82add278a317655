# An int past 64 bits lets a call begin anew if nothing has been printed yet, whatever the code could print.
import random

from support import show


def power(n):
    if n < 0:
        print("negative", n)
    product = 1
    for i in range(n):
        product *= 10
    return product


def drawn(n):
    product = 1
    for i in range(n):
        product *= 10
    return product, 0 <= random.random() < 1


def huge(n):
    return [0] * n


show(power, 3, 30, -2)
show(drawn, 3, 30)
try:
    from snekpy import stage

    stage(huge)(10**17)
except MemoryError as error:
    print(repr(error))
