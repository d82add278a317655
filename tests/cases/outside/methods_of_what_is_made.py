# Methods of views and of what is made of the call's objects, called by name.
from snekpy import stage

@stage
def names(n):
    d = {'a': 1, 'b': n}
    e = {'a': 1, 'c': n}
    return (d.items().isdisjoint(e.items()), d.items() & e.items(), d.keys().isdisjoint({'z'}), d.keys().__len__(),
            sorted(d.keys().__or__(e.keys())), list(d.items().__iter__()), d.items().__str__(), d.values().__len__(),
            list(d.keys().__reversed__()), d.items().__contains__(('b', n)), d.keys().__eq__({'a', 'b'}),
            repr(d.keys().mapping), sorted(d.keys() - e.keys()), sorted(e.keys().__rsub__({'q'})))

@stage
def kept(n):
    d = {'a': n}
    k, i = d.keys(), d.items().__iter__
    m = k.__len__, k.__contains__
    d['b'] = n + 1
    return m[0](), m[1]('b'), list(i())

@stage
def handed_out(n):
    d = {'a': n}
    k = d.keys()
    f = k.isdisjoint
    d['b'] = n
    return [k, k, d.items(), f, f, d]

@stage
def bound_twice(n):
    class_ = C(n)
    m = class_.m
    return m, m, class_, [m, class_.m]

class C:
    def __init__(self, n): self.n = n
    def m(self): return self.n

@stage
def frozen(n):
    a, b = C(1), C(2)
    both = frozenset([a, b])
    a.n = n
    return a, both, a in both, len(both)

@stage
def frozen_later(n):
    a = C(1)
    s = {a}
    f = frozenset(s)
    g = f | {a}
    t = (f, n)
    a.n = n
    return f, g, s, t

@stage
def frozen_of_choice(n):
    a = C(1)
    f = frozenset((a,))
    if n > 3: a.n = 7
    else: a.n = 8
    return f

@stage
def set_methods(n):
    s = {1, 2}
    add = s.add
    u = s.union
    add(n)
    return u({9}), s.__len__(), s.__contains__(n), s.issubset({1, 2, n}), [s.__or__({n})]

@stage
def list_methods(n):
    l = [n]
    a = l.append
    a(n)
    i = l.__iter__()
    return l.__len__(), l.__contains__(n), list(i), l.count(n), l.__add__([1])

for n in (3, 4, 5, 5):
    print(names(n), kept(n), set_methods(n), list_methods(n))
    k, k2, i, f, f2, d = handed_out(n)
    print(k is k2, list(k), list(i), f is f2, f({'b'}), d)
    d['z'] = 0
    print(list(k), f({'z'}), f({'y'}))
    m, m2, c, (m3, m4) = bound_twice(n)
    print(m is m2, m3 is m, m4 is m, m == m4, m.__self__ is c, m4())
    a, both, inside, count = frozen(n)
    print(a in both, inside, count, sorted(x.n for x in both), any(x is a for x in both))
    f, g, s, t = frozen_later(n)
    x = next(iter(f))
    print(x is next(iter(g)), x is next(iter(s)), t[0] is f, x.n)
    print(next(iter(frozen_of_choice(n))).n)
