"""What every case uses: call a function staged and print what came out.

A case prints the same text whether its functions are staged or not. Whatever leaves a call, a value
or an exception, is printed with its type, an exception also with the line of the case it came from.
"""

from snekpy import stage


def show(function, *calls, **options):
    """Stages `function` once and calls it once for each of `calls`.

    A call is a tuple of arguments; anything else is a single argument.
    """
    run(function, stage(function, **options), calls)


def run(function, staged, calls):
    """Calls `staged`, made from `function`, once for each of `calls`."""
    for call in calls:
        args = call if isinstance(call, tuple) else (call,)
        head = function.__name__ + "(" + ", ".join(repr(arg) for arg in args) + ")"
        outcome(head, function, lambda: staged(*args))
        left = function.__name__ + "(" + ", ".join(repr(arg) for arg in args) + ")"
        if left != head:
            print("    the arguments are now", left)


def outcome(head, function, action):
    """Prints what `action` returns or raises; `function` says which file the line is in."""
    try:
        result = action()
    except Exception as error:
        line = last_line(error, function.__code__.co_filename)
        print(head, "raises", type(error).__name__ + ":", error, "at line", line)
    else:
        print(head, "=", repr(result))


def last_line(error, file):
    """The line of the innermost frame of `error` that lies in `file`."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
