# Arguments of all kinds, defaults, closures, decorators.
def f(a, b=2, /, c=3, *args, d, e=5, **kwargs):
    return a, b, c, args, d, e, kwargs


print(f(1, d=4), f(1, 2, 3, 4, 5, d=6, z=7), f(*[1, 2], **{"d": 3, "c": 4}))
for call in (lambda: f(), lambda: f(1), lambda: f(1, d=1, a=2), lambda: f(1, 2, c=3, **{"c": 4}, d=0)):
    try:
        print(call())
    except TypeError as error:
        print(type(error).__name__)


def bucket(item, items=[]):
    items.append(item)
    return items


print(bucket(1), bucket(2), bucket.__defaults__)


def counter(start=0):
    def step(by=1):
        nonlocal start
        start += by
        return start

    return step


c = counter(10)
print(c(), c(5), counter()(), c.__closure__[0].cell_contents)


def logged(prefix):
    def decorate(function):
        def wrapper(*args, **kwargs):
            result = function(*args, **kwargs)
            print(prefix, function.__name__, args, kwargs, "->", result)
            return result

        return wrapper

    return decorate


@logged("A")
@logged("B")
def add(x, y=1):
    "Adds."
    return x + y


add(1)
add(1, y=5)
print([g(10) for g in [lambda v, k=k: v * k for k in range(3)]], (lambda *a, **k: (a, k))(1, x=2))
