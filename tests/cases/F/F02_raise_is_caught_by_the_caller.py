# F02: an exception raised under a staged condition reaches the plain caller with type and message.
from snekpy import stage


def f(x):
    if x < 0:
        raise ValueError("neg")
    return x


staged = stage(f)
for x in (1, -1, 2):
    try:
        print(staged(x))
    except ValueError as error:
        print(type(error), error.args)
