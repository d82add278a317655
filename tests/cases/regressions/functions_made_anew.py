# A function made anew for each call is known by what it does: which one it is is seen where that is asked.
from snekpy import stage


def integrate(f, a, b, n):
    step = (b - a) / n
    total = 0.0
    for i in range(n):
        total += f(a + (i + 0.5) * step)
    return total * step


def call_integrate():
    return integrate(lambda x: x * x, 0.0, 1.0, 50)


def twice(f, g, x):
    return f is g, f is known, g is None, bool(f), f(x), g(f(x)) if g else None


def known(x):
    return x + 1


def make():
    return lambda x: x + 1


def kept(f, n, into):
    into.append(f)
    return [f(i) for i in range(n)], f


def named(f, n):
    total = 0
    for i in range(n):
        total += f(i)
    return total, f.__name__, f.__qualname__, isinstance(f, type(known)), callable(f)


def marked(f, n):
    f.count = n
    f.count += 1
    return f(n), f.count


def tracked(f, d, n):
    d[f] = n
    return d[f] + f(n), f in d, hash(f) == hash(f)


def sorts(f, items):
    return sorted(items, key=f), max(items, key=f), list(map(f, items)), [x for x in filter(f, items)]


def raises(f, n):
    try:
        return f(n)
    except ZeroDivisionError as error:
        return "caught", str(error), error.__traceback__.tb_next.tb_frame.f_code.co_name


def recursive(f, n):
    return 0 if n == 0 else f(n) + recursive(f, n - 1)


def changed(f, n, code):
    before = f(n)
    if n > 3:
        f.__code__ = code
    return before, f(n)


def shown(name, function, *calls):
    staged = stage(function)
    for make_args in calls:
        print(name, function(*make_args()), staged(*make_args()))


print([call_integrate() for _ in range(4)])
integrate = stage(integrate)
print([call_integrate() for _ in range(6)])

shown("twice", twice, *[lambda: (make(), make(), 3)] * 3)
shown("twice, one", twice, *[lambda: (lambda f: (f, f, 3))(make())] * 2)
s = stage(twice)
print([s(make(), make(), k)[:4] for k in range(3)], s(known, known, 1)[:4], s(known, make(), 1)[:4], s(make(), known, 1)[:4])
one = make()
print(s(one, one, 1)[:4], s(make(), None, 1)[2:], s(one, make(), 2)[:4])

s = stage(kept)
for k in range(4):
    into = []
    f = make()
    items, same = s(f, k, into)
    print(items, same is f, into[0] is f, len(into))

shown("named", named, *[lambda: (make(), 4)] * 3)
shown("marked", marked, *[lambda: (make(), 4)] * 3)
shown("tracked", tracked, *[lambda: (make(), {}, 4)] * 3)
shown("sorts", sorts, *[lambda: (lambda x: x % 3, [5, 3, 1, 2, 4])] * 3)
shown("raises", raises, *[lambda: (lambda x: 1 // x, 0)] * 3, *[lambda: (lambda x: 1 // x, 2)] * 2)
shown("recursive", recursive, *[lambda: (make(), 6)] * 3)
shown("changed", changed, *[lambda: (make(), 3, known.__code__)] * 3, *[lambda: (make(), 5, (lambda x: -x).__code__)] * 2)

# Others with the same code, and other defaults, variables or names.
def with_default(k):
    return lambda x, k=k: x * k


def closes_over(k):
    return lambda x: x * k


def counter():
    count = 0

    def inc(x):
        nonlocal count
        count += x
        return count

    return inc


s = stage(lambda f, n: sum(f(i) for i in range(n)))
print([s(with_default(k), 5) for k in range(5)])
print([s(closes_over(k), 5) for k in range(5)])
print([s(counter(), 5) for _ in range(4)])
inc = counter()
print([s(inc, 3) for _ in range(4)])
