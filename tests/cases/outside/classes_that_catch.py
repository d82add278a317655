# A class whose metaclass says what it catches.
#@ reference snekpy: CPython does not ask the metaclass
from snekpy import stage


class Meta(type):
    def __instancecheck__(cls, instance):
        return str(instance) == "x"


class Any(Exception, metaclass=Meta):
    pass


class Plain(Exception, metaclass=type("Other", (type,), {})):
    pass


def pick(n):
    return Any if n else OSError


@stage
def by_name(text):
    try:
        raise ValueError(text)
    except Any:
        return "Any"
    except ValueError:
        return "ValueError"


@stage
def by_call(n):
    try:
        raise ValueError("x")
    except pick(n):
        return "Any"
    except ValueError:
        return "ValueError"


@stage
def among(n):
    try:
        raise Plain(n)
    except (OSError, Any):
        return "Any"
    except Plain as e:
        return e.args


for i in range(3):
    print(by_name("x"), by_name("y"), by_call(0), by_call(1), among(i))
