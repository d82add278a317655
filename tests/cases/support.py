"""What every case uses: call a function staged and print what came out.

A case prints the same text whether its functions are staged or not. Whatever leaves a call, a value
or an exception, is printed with its type, an exception also with the line of the case it came from.
"""

import re
from array import array

from snekpy import stage

#: RustPython, which runs what is not staged, and CPython 3.11, which recorded the outputs, find other
#: words for the same errors. Each of these texts is replaced before it is printed. Whether staged and
#: unstaged code use the same words is checked by the fuzzer, which compares them with each other.
WORDING = (
    (r"local variable '(\w+)' referenced before assignment", r"\1 has no value"),
    (r"cannot access local variable '(\w+)' where it is not associated with a value", r"\1 has no value"),
    (r"(integer |float )?(division|modulo|floor division|division or modulo) by zero", "by zero"),
    (r"float divmod\(\)", "by zero"),
    (r"(too many values to unpack \(expected \d+), got \d+\)", r"\1)"),
    (r"((array|list|tuple) )?(assignment )?index out of range", "index out of range"),
    (r"\(\) (arg is an empty sequence|iterable argument is empty)", "() of nothing"),
    (r"'?(\S+?)'? is not in list", r"\1 is not in list"),
)


def show(function, *calls, **options):
    """Stages `function` once and calls it once for each of `calls`.

    A call is a tuple of arguments; anything else is a single argument.
    """
    run(function, stage(function, **options), calls)


def run(function, staged, calls):
    """Calls `staged`, made from `function`, once for each of `calls`."""
    for call in calls:
        args = call if isinstance(call, tuple) else (call,)
        before = shown(args)
        head = function.__name__ + before
        outcome(head, function, lambda: staged(*args))
        if shown(args) != before:
            print("    the arguments are now", shown(args))


def outcome(head, function, action):
    """Prints what `action` returns or raises; `function` says which file the line is in."""
    try:
        result = action()
    except Exception as error:
        line = last_line(error, function.__code__.co_filename)
        print(head, "raises", type(error).__name__ + ":", words(error), "at line", line)
    else:
        print(head, "=", repr(result))


def around(name, f, change, *args):
    """Stages `f`, calls it twice, changes something, and calls it twice again."""
    f = stage(f)

    def outcomes():
        found = []
        for _ in range(2):
            try:
                found.append(f(*args))
            except Exception as error:
                found.append(type(error).__name__)
        return found

    before = outcomes()
    change()
    print(name, before, outcomes())


def shown(args):
    """The arguments in brackets; an array as its type and a list."""
    texts = [arg.typecode + repr(arg.tolist()) if isinstance(arg, array) else repr(arg) for arg in args]
    return "(" + ", ".join(texts) + ")"


def words(error):
    """The message of `error` in words that do not depend on the Python."""
    text = str(error)
    for pattern, replacement in WORDING:
        text = re.sub(pattern, replacement, text)
    return text


def last_line(error, file):
    """The line of the innermost frame of `error` that lies in `file`."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def specialisations(staged):
    """How many kinds of code there are of `staged`: one, where nothing is staged."""
    stats = getattr(staged, "stats", lambda: {"specialisations": ()})
    return max(1, len(stats()["specialisations"]))


def rounded(tree):
    """A derivative with so many digits as differences are good for; objects as their class and attributes."""
    if isinstance(tree, float):
        return 0.0 if abs(tree) < 1e-7 else float(f"{tree:.6g}")
    if isinstance(tree, (tuple, list)):
        return type(tree)([rounded(item) for item in tree])
    if isinstance(tree, dict):
        return {name: rounded(item) for name, item in tree.items()}
    if hasattr(tree, "__dict__"):
        return type(tree).__name__, rounded(vars(tree))
    return tree
