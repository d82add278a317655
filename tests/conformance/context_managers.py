# with, contextlib, suppression, order.
import contextlib


class Manager:
    def __init__(self, name, swallow=False):
        self.name, self.swallow = name, swallow

    def __enter__(self):
        print("enter", self.name)
        return self.name.upper()

    def __exit__(self, kind, value, trace):
        print("exit", self.name, kind and kind.__name__, value)
        return self.swallow


with Manager("a") as a, Manager("b", True) as b:
    print(a, b)
    raise KeyError("k")
print("after")
with contextlib.suppress(ValueError):
    int("x")


@contextlib.contextmanager
def tag(name):
    print(f"<{name}>")
    try:
        yield name
    except ZeroDivisionError:
        print("zero")
    finally:
        print(f"</{name}>")


with tag("p") as p:
    print(p)
    1 / 0
with contextlib.ExitStack() as stack:
    for name in "xy":
        stack.enter_context(Manager(name))
    stack.callback(print, "callback")
for i in range(3):
    with Manager(str(i)):
        if i == 1:
            break
