"""A variable that was never bound is unbound where a call comes back, or goes on as plain Python."""

from snekpy import stage


@stage
def f(xs, n):
    t = 0
    for i in range(max(xs, default=n) % 5):
        p -= t
    return t


@stage
def g(ps, log, n):
    t = 0
    for i in range(n):
        t += i
    log.append(str(t))
    for i in range(n):
        if i > 100:
            q = i
        t += i
    return q


for k in range(3):
    for call in (lambda: f([], -7), lambda: g([], [], 20)):
        try:
            print(call())
        except UnboundLocalError as error:
            print(type(error).__name__)
