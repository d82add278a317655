# global, nonlocal, del, class bodies, builtins.
x = "global"


def outer():
    x = "outer"

    def inner():
        nonlocal x
        x = "changed"

    def world():
        global x
        x = "world"

    inner()
    world()
    return x


print(outer(), x)


class C:
    x = "class"

    def read(self):
        return x


print(C().read(), C.x)


def late():
    try:
        print(y)
    except NameError as error:
        print(type(error).__name__)
    y = 1
    del y
    try:
        return y
    except NameError as error:
        return type(error).__name__


print(late())
fs = [lambda: i for i in range(3)]
print([f() for f in fs])
exec("z = x + '!'")
print(z, eval("1 + 2", {}), sorted(k for k in globals() if len(k) == 1))
print(len.__name__, callable(print), (lambda: __name__)())
