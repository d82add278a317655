# try, except, else, finally, chains, groups.
def f(x):
    try:
        return 10 // x
    except ZeroDivisionError as error:
        raise ValueError("bad x") from error
    except (TypeError, KeyError):
        return "type"
    else:
        return "never"
    finally:
        print("finally", x)


for x in (2, 0, "a"):
    try:
        print(f(x))
    except ValueError as error:
        print(repr(error), type(error.__cause__).__name__, error.__suppress_context__)


class Custom(Exception):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


try:
    try:
        raise Custom(3)
    except Custom as error:
        print(error, error.code, error.args)
        raise
except Exception as error:
    print("again", error)


def loop():
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            yield i
        finally:
            yield -i


print(list(loop()))


def both():
    try:
        return "try"
    finally:
        return "finally"


print(both())
try:
    raise ExceptionGroup("group", [ValueError(1), TypeError(2), ValueError(3)])
except* ValueError as group:
    print([e.args for e in group.exceptions])
except* TypeError as group:
    print(len(group.exceptions))
try:
    [][1]
except LookupError as error:
    print(type(error).__mro__[1].__name__)
try:
    assert 1 > 2, "assertion"
except AssertionError as error:
    print(error)
try:
    {}["k"]
except KeyError as error:
    print(repr(error), str(error))
