# F16: an exception three calls deep names the line of every call.
from snekpy import stage


def inner(x):
    y = x - 1
    return 1 // y


def middle(x):
    if x > 0:
        return inner(x) + 1
    return inner(
        x + 1,
    )


def outer(x):
    r = 0
    r += middle(x)
    return r


staged = stage(outer)
for x in (3, 1, 0, -4):
    try:
        print(staged(x))
    except ZeroDivisionError as error:
        trace = error.__traceback__.tb_next
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename == __file__:
                print(code.co_name, trace.tb_lineno)
            trace = trace.tb_next
