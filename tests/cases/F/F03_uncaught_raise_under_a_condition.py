# F03: an exception that nothing catches passes through staged frames, with the lines of the user.
import traceback

from snekpy import stage


def check(x):
    if x < 0:
        raise ValueError("negative", x)
    return x


def middle(x):
    total = 0
    for i in range(3):
        total += check(x - i)
    return total


@stage
def outer(x):
    if x > 10:
        raise LookupError
    return middle(x) * 2


for x in (2, 1, 11, 10, 0.5, -3):
    try:
        print(x, outer(x))
    except Exception as error:
        frames = [(frame.name, frame.lineno, frame.line) for frame in traceback.extract_tb(error.__traceback__)[1:]]
        print(x, repr(error), frames)
