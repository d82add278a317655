# F12: what `__exit__` gets: the exception, and a traceback with the line of the program.
from support import show


class Log:
    def __init__(self, suppress):
        self.suppress = suppress

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        print("  exit", kind and kind.__name__, error is None, trace and trace.tb_lineno)
        return self.suppress


def divided(x):
    y = None
    with Log(True):
        y = 10 // x
    return y


def raised(x):
    with Log(x > 5):
        if x:
            raise ValueError(
                x,
            )
    return x


show(divided, 3, 0, 0.0)
show(raised, 0, 9, 1, 0.5)
