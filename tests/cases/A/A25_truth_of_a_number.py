# A25: a number as a condition.
from support import show


def truth(x):
    if x:
        return "true"
    else:
        return "false"


def falsy(x):
    if not x:
        return 1
    return 0


show(truth, 0, 3, -1, 0.0, -0.0, 0.5, float("nan"), True, False)
show(falsy, 0, 3, 0.0, 0.5, True)
