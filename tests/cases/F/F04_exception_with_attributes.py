# F04: an exception class of the program, with a constructor and attributes.
from support import show
from snekpy import stage


class Failed(Exception):
    def __init__(self, code, *, fatal=False):
        super().__init__("failed with", code)
        self.code = code
        self.fatal = fatal


class Worse(Failed):
    def __str__(self):
        return f"worse: {self.code}"


def f(x):
    if x < 0:
        raise Failed(x * 2, fatal=x < -10)
    if x > 100:
        raise Worse(x)
    return x


def caught_inside(x):
    try:
        return f(x)
    except Worse as error:
        return "worse", error.code
    except Failed as error:
        return "failed", error.code, error.fatal, error.args


staged = stage(f)
for x in (1, -1, -20, 101, 0.5, -0.5):
    try:
        print(staged(x))
    except Failed as error:
        print(type(error).__name__, error.code, error.fatal, error.args, error)
show(caught_inside, 1, -1, -20, 101, -0.5)
