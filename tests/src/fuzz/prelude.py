# Stands before the generated programs of one process.
import array, bisect, collections, contextlib, dataclasses, functools, heapq, io, itertools, math, operator, random, re, sys
import time, types, typing, warnings
import snekpy.numpy as np
from snekpy import stage

# What host functions log; printed after each call.
LOG = []


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5)


def logsumexp(x):
    most = x.max()
    return float(np.log(np.exp(x - most).sum()) + most)


# The functions of this file that no traceback shows.
HIDDEN = {"call"}


# Where the running program calls `mark`: lines are counted from there, whatever stands before it.
START = 0


def mark(name):
    global START
    START = sys._getframe(1).f_lineno
    print("#", name, flush=True)


def call(action, *names):
    # One table for the result and all names: what is the same object is shown as such.
    seen = {}
    try:
        result = action()
    except Exception as error:
        print("raises", described(error))
    else:
        print("=", deep(result, seen, take=True))
    for name in names:
        try:
            value = eval(name)
        except Exception as error:
            print("  ", name, "raises", type(error).__name__)
        else:
            print("  ", name, "=", deep(value, seen))
    if LOG:
        print("   log", deep(LOG, {}))
        LOG.clear()


def described(error):
    """The exception with what it carries, the lines of the program that it went through, and its causes."""
    texts = []
    while error is not None and len(texts) < 4:
        lines, trace = [], error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename == __file__ and code.co_name not in HIDDEN:
                # How far the program is from here differs: it may be one of many in its file.
                is_ours = code.co_firstlineno < END and code.co_name != "<module>"
                lines.append(f"{code.co_name}:{trace.tb_lineno - (0 if is_ours else START):+d}")
            trace = trace.tb_next
        # How deep recursion may go differs, and the message says how deep it went.
        deepest = isinstance(error, RecursionError)
        text = "" if deepest else f"{error} {deep(error.args, {})} {deep(vars(error), {})}"
        texts.append(f"{type(error).__name__} {text} at {lines[-1:] if deepest else ' '.join(lines)}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return " | after ".join(texts)


def taken(iterator):
    """What an iterator gives next."""
    items = []
    try:
        for item in itertools.islice(iterator, 4):
            items.append(item)
    except Exception as error:
        items.append(described(error))
    return repr(items)


def deep(value, seen, level=0, take=False):
    """The value with its types all the way down; what was shown before is a number. `take` runs iterators."""
    kind = type(value)
    inside = lambda it: deep(it, seen, level + 1, take)
    if value is None or kind in (int, float, bool, str, bytes, complex):
        return repr(value)
    if level > 6:
        return "..."
    if isinstance(value, type):
        return "class " + value.__name__
    if isinstance(value, (types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
        return "function"
    if isinstance(value, BaseException):
        return f"{kind.__name__}{value.args!r}"
    if isinstance(value, (str, bytes, int, float)):
        # Of a class that is derived from one of these: what it is, whatever its methods say.
        plain = next(it for it in (str, bytes, int, float) if isinstance(value, it))
        return f"{kind.__name__}({plain.__repr__(value)})"
    if isinstance(value, tuple):
        return ("" if kind is tuple else kind.__name__) + "(" + ", ".join(map(inside, value)) + ")"
    if id(value) in seen:
        return f"@{seen[id(value)][0]}"
    # With the value, so that it lives on and its number belongs to no other.
    seen[id(value)] = (len(seen), value)
    start = f"{kind.__name__}@{len(seen) - 1}"
    if hasattr(kind, "__next__"):
        start += taken(value) if take else ""
    if kind is array.array:
        return start + repr(value)
    if kind is np.ndarray:
        return f"{start}{value.dtype.name}{value.shape}{value.tolist()}"
    if isinstance(value, (list, collections.deque)):
        return start + "[" + ", ".join(map(inside, (list if isinstance(value, list) else kind).__iter__(value))) + "]"
    if isinstance(value, (set, frozenset)):
        return start + "{" + ", ".join(map(inside, sorted(value, key=repr))) + "}"
    if isinstance(value, dict):
        return start + "{" + ", ".join(f"{inside(key)}: {inside(it)}" for key, it in dict.items(value)) + "}"
    if kind in (bytearray, re.Match, range):
        return start + repr(value)
    if isinstance(value, (io.StringIO, io.BytesIO)) and not value.closed:
        return start + repr(value.getvalue())
    names = list(getattr(value, "__dict__", ())) or [it for it in getattr(kind, "__slots__", ()) if hasattr(value, it)]
    return start + "<" + ", ".join(f"{it}={inside(getattr(value, it))}" for it in names) + ">"


def crossed(staged):
    """Prints how often compiled code of the function has had the interpreter carry out an instruction."""
    stats = staged.stats()
    rows = stats["specialisations"] + [row for it in stats["reentries"] for row in it["specialisations"]]
    print("crossed", sum(it["count"] for row in rows for it in row["crossings"]))


#: Where programs begin.
END = sys._getframe().f_lineno
