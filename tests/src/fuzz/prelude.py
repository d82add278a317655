# Stands before the generated programs of one process.
import math, sys
from snekpy import stage


def mark(name):
    print("#", name, flush=True)


def call(action):
    try:
        result = action()
    except Exception as error:
        line, trace = None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == __file__:
                line = trace.tb_lineno
            trace = trace.tb_next
        print("raises", type(error).__name__, error, "at line", line)
    else:
        print("=", repr(result))


