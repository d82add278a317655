"""The result of an expression as one line of text."""


def show(text, names, back=lambda result: result):
    """What an expression, or statements that assign `r`, give: an array, a number, a text, or an exception's class. `back` makes
    what can be described of it."""
    scope = dict(names)
    try:
        if "; r = " in text:
            exec(text, scope)
            result = scope["r"]
        else:
            result = eval(text, scope)
        return describe(back(result))
    except Exception as error:
        return "raises " + kind(error)


def kind(error):
    """The class whose handlers would catch it in a program that knows Python's own classes only."""
    for known in (OverflowError, ZeroDivisionError, IndexError, AttributeError, TypeError, ValueError, MemoryError):
        if isinstance(error, known):
            # AxisError is both; NumPy's casting errors are TypeErrors of their own.
            return known.__name__
    return type(error).__name__


def describe(result):
    """`dtype shape values`."""
    if hasattr(result, "dtype") and hasattr(result, "tolist") and hasattr(result, "shape"):
        shape = "x".join(map(str, result.shape)) if result.shape else "."
        flat = result.reshape(-1).tolist() if result.shape else [result.tolist()]
        return f"{result.dtype.name} {shape} {' '.join(map(number, flat))}".strip()
    if isinstance(result, (list, tuple)):
        return "[" + ", ".join(map(describe, result)) + "]"
    if isinstance(result, str):
        return "text " + repr(result)
    if isinstance(result, (bool, int, float, complex)):
        return "python " + number(result)
    if hasattr(result, "itemsize") and hasattr(result, "kind"):
        return "dtype " + result.name
    return "object"


def number(x):
    """Shortly; a NaN has no sign."""
    return "nan" if isinstance(x, float) and x != x else repr(x)
