# G20: `stage` below and above another decorator.
from snekpy import stage


def twice(function):
    def wrapper(*args):
        return function(*args) * 2

    return wrapper


@twice
@stage
def below(x):
    if x > 0:
        return x
    return -x


@stage
@twice
def above(x):
    if x > 0:
        return x
    return -x


print(below(3), below(-3), below(0.5))
print(above(3), above(-3), above(0.5))
