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
        # How deep recursion may go differs, and the message says how deep it went.
        text = "" if isinstance(error, RecursionError) else error
        print("raises", type(error).__name__, text, "at line", line)
    else:
        print("=", repr(result))


