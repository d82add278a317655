# A05: the condition is known when the function is staged, so one arm is all there is.
from support import show


def create(mode, x):
    if mode == "on":
        i = x + 1
    return i


show(create, ("on", 4), ("off", 4), ("on", 2.5))
