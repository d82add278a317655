# A partial of a partial has arguments and keywords of its own.
from functools import partial


def shown(*args, **named):
    return args, sorted(named.items())


p = partial(shown, 2, a=1)
q = partial(p, b=3)
r = partial(q, 5, a=7)
print(p(10), q(10), r(10), p.keywords, q.keywords, r.keywords)
print(p.keywords is not q.keywords, q.func is shown, r.args, partial(p).keywords is not p.keywords)


class Own(partial):
    pass


o = Own(p, c=1)
s = partial(o, d=2)
print(type(o).__name__, o(1), s(1), o.keywords, type(s).__name__, Own(o, e=1).keywords, p.keywords)
for wrong in (lambda: partial(), lambda: partial(3), lambda: partial(a=1)):
    try:
        print(wrong())
    except TypeError as e:
        print(type(e).__name__)
