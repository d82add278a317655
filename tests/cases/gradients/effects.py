# What the function does is done once and in order, whatever is differentiated.
#@ reference snekpy: differences call the function many times
from snekpy import grad, jacfwd, value_and_grad, vjp

log = []
count = 0


class Counter:
    def __init__(self):
        self.calls = 0


counter = Counter()


def f(x, n):
    global count
    log.append(x)
    total = 0.0
    for i in range(n):
        print("step", i, total)
        total = total + x * x
        count = count + 1
    counter.calls += 1
    log.append(total)
    return total


print(grad(f)(3.0, 2), log, count, counter.calls)
print(value_and_grad(f)(2.0, 1), log, count, counter.calls)
print(jacfwd(f)(2.0, 1), count)
value, pull = vjp(lambda x: f(x, 1), 0.5)
print(value, pull(1.0), pull(2.0), count)


def fails(x):
    log.append("before")
    print("about to fail")
    if x > 1.0:
        raise ValueError(f"too large: {x}")
    return x * x


log.clear()
for x in 0.5, 2.0:
    try:
        print(grad(fails)(x))
    except ValueError as error:
        print(error, log)


def mutates(xs, d):
    xs.append(xs[0] * 2.0)
    d["seen"] = xs[0]
    return xs[-1] * xs[0]


xs, d = [3.0], {}
print(grad(mutates)(xs, d), xs, d)
