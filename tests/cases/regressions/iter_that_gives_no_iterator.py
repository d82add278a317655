"""`__iter__` that gives no iterator, or raises."""
#@ reference snekpy: CPython has other words for errors, and `in` keeps the error of an `__iter__`
from snekpy import stage


class A:
    def __iter__(self): pass
class B:
    def __iter__(self): raise TypeError("mine")
class C:
    def __iter__(self): return iter([1, 2])
class D:
    def __iter__(self): return 5
class E:
    pass
class F:
    def __iter__(self): raise ValueError("mine")
class G:
    def __getitem__(self, i):
        if i > 3: raise IndexError
        return i
class H:
    def __iter__(self): return self
    def __next__(self): raise TypeError("next")


def t(function, *args):
    try:
        print(stage(function)(*args))
    except Exception as error:
        print(type(error).__name__, error, repr(error.__context__))


for c in (A, B, C, D, E, F, G, H):
    for f in (lambda o, x: x in o, lambda o, x: [q for q in o], lambda o, x: list(o), lambda o, x: x not in o, lambda o, x: [*o], lambda o, x: max(o), lambda o, x: next(o), lambda o, x: iter(o) and 1, lambda o, x: list(zip(o, [x])), lambda o, x: list(map(abs, o)), lambda o, x: tuple(o), lambda o, x: sorted(o), lambda o, x: list(enumerate(o))):
        t(f, c(), 1)
    o = c()
    t(lambda x: x in o, 1); t(lambda x: [x for q in o], 1)
def ab(o, x):
    a, b = o
    return a
for c in (A, B, C, D, E, F, G, H): t(ab, c(), 1)
