# F04: exception classes of the program with their own `__init__`, attributes and texts. Strict: all of it is compiled.
from support import show


class Coded(Exception):
    def __init__(self, code, extra=1):
        super().__init__(f"code {code}")
        self.code = code
        self.extra = extra


class Plain(ValueError):
    pass


class Silent(Exception):
    def __init__(self, code):
        self.code = code


class Chosen(Exception):
    def __init__(self, code):
        if code > 2:
            Exception.__init__(self, "large", code)
        else:
            Exception.__init__(self, "small")
        self.code = code


class Told(Exception):
    def __str__(self):
        return f"told {self.args[0]}"


def caught(x):
    try:
        if x > 1:
            raise Coded(x, extra=x * 2)
        return 0
    except Coded as error:
        return error.code + error.extra, str(error), f"<{error}>", error.args


def noted(x):
    try:
        if x > 1:
            raise Plain("a", x)
        return 0
    except Plain as error:
        error.note = x
        return error.args, error.note, str(error)


def silent(x):
    try:
        raise Silent(x)
    except Silent as error:
        return error.args, error.code, str(error)


def leaves(x):
    if x > 1:
        raise Coded(x)
    return x


def changed_on_one_path(x):
    error = Plain(x)
    error.note = 1
    if x > 1:
        error.note = x
    try:
        raise error
    except Plain as found:
        return found.note, found.args


def told(x):
    try:
        raise Told(x)
    except Told as error:
        return str(error), f"{error}"


def chosen(x):
    try:
        raise Chosen(x)
    except Chosen as error:
        return error.code, error.args


for function in (caught, noted, silent, leaves, changed_on_one_path, told):
    show(function, 1, 2, 3, strict=True)
show(chosen, 1, 2, 3)
