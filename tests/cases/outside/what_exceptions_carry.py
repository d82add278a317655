# Native exceptions carry more than arguments: names, files, codes, classes by errno, also through derived classes with an
# `__init__` of their own, keywords, and where paths meet.
from snekpy import stage


class Missing(OSError):
    def __init__(self, path):
        super().__init__(2, "no such thing", path)
        self.path = path


class Bad(AttributeError):
    def __init__(self, *, code):
        super().__init__(f"code {code}", name="bad")
        self.code = code


class Unknown(ImportError):
    def __init__(self, name):
        super().__init__("unknown", name=name)


class Ends(SystemExit):
    def __init__(self, code):
        super().__init__(code)


class Undecodable(UnicodeDecodeError):
    def __init__(self, at):
        super().__init__("x", b"ab", at, at + 1, "why")


class Wrong(SyntaxError):
    def __init__(self, line):
        super().__init__("wrong", ("file", line, 2, "text"))


class Stopped(StopIteration):
    pass


class Hides(ImportError):
    name = property(lambda self: "hidden")


@stage
def raised(n, kind, name):
    if kind == 0:
        raise Missing("a.cfg")
    if kind == 1:
        raise Missing(name)
    if kind == 2:
        raise Bad(code=n)
    if kind == 3:
        raise Unknown(name)
    if kind == 4:
        raise Ends(n)
    if kind == 5:
        raise Undecodable(1)
    if kind == 6:
        raise Undecodable(n)
    if kind == 7:
        raise Wrong(n)
    if kind == 8:
        raise Stopped(n)
    if kind == 9:
        raise AttributeError("nope", name=name, obj=n)
    if kind == 10:
        raise NameError("nope", name=n)
    if kind == 11:
        raise ImportError("nope", wrong=n)
    if kind == 12:
        raise OSError(n, "text", name)
    if kind == 13:
        raise OSError(n, "text", name, None, "other")
    if kind == 14:
        raise BlockingIOError(n, "text", n)
    if kind == 15:
        raise UnicodeEncodeError("ascii", name, n, n + 1, "why")
    if kind == 16:
        raise ValueError("nope", wrong=n) if n > 100 else KeyError(n)
    if kind == 17:
        raise ExceptionGroup("several", [ValueError(n), OSError(2, "x", name)])
    if kind == 18:
        raise Hides("m", name=name)
    if kind == 19:
        raise FileNotFoundError(n, "text")
    if kind == 20:
        raise OSError(2, "x", n)
    return n


NAMES = "args code name path obj msg errno strerror filename filename2 value lineno offset text reason start end".split()


def shown(e):
    if isinstance(e, TypeError):
        return (type(e).__name__,)
    # RustPython keeps the arguments of the class's call in a UnicodeError.
    names = NAMES[isinstance(e, UnicodeError):]
    carried = [(name, getattr(e, name)) for name in names if hasattr(e, name)]
    return type(e).__name__, str(e), carried, getattr(e, "exceptions", None)


for n, name in ((1, "a"), (2, "b"), (2, "b"), (13, "c")):
    for kind in range(22):
        try:
            print(kind, raised(n, kind, name))
        except BaseException as e:
            print(kind, *shown(e))


@stage
def caught(n, name):
    try:
        if n > 10:
            raise ImportError("no", name=name, path="/p")
        if n > 5:
            raise ImportError("no", name="fixed")
        raise ImportError("no")
    except ImportError as e:
        return e.name, e.path, str(e), e.msg, repr(e)


@stage
def by_class(n):
    try:
        raise OSError(n, "msg")
    except FileNotFoundError:
        return "FileNotFound"
    except PermissionError as e:
        return "Permission", e.errno
    except OSError as e:
        return type(e).__name__, str(e)


@stage
def made(n):
    error = OSError(2, "x", "f", None, "g")
    stop, end, name = StopIteration(n), SystemExit(n), AttributeError("m", name="q", obj=n)
    syntax, code = SyntaxError("m", ("f", 1, 2, "t")), UnicodeEncodeError("a", "x", 0, 1, "r")
    return error.filename, error.filename2, stop.value, end.code, name.obj, syntax.lineno, code.reason


@stage
def in_a_loop(n):
    seen = []
    for i in range(n):
        try:
            if i % 3 == 0:
                raise AttributeError("m", name="a", obj=i)
            raise AttributeError("m", name="b", obj=i * 2)
        except AttributeError as e:
            seen.append((e.name, e.obj))
    return seen


@stage
def missing(o, n):
    try:
        if n == 0:
            return o.missing
        if n == 1:
            return None.missing
        if n == 2:
            return (1, 2).missing
        if n == 3:
            return undefined_name
        import not_there
    except (AttributeError, NameError) as e:
        return type(e).__name__, e.name, getattr(e, "obj", "none"), str(e)
    except ImportError as e:
        return e.name, e.path


for i in (1, 7, 20, 7, 1):
    print(caught(i, "x"), by_class(i), made(i), in_a_loop(i))
for n in (1, 2, 13, 2, 5):
    print(by_class(n))
for o in (3, 2.5, "text", 7):
    print([missing(o, n) for n in range(5)])
