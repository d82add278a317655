# `next` makes the exception that ends an iterator anew.
#@ reference snekpy: CPython keeps the frame of `__next__` and all arguments of the StopIteration
import traceback
from snekpy import stage
class It:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0:
            raise StopIteration(7, 8)
        self.n -= 1
        return self.n
class Bad:
    def __next__(self): raise ValueError(3)
def f(n):
    it = It(n)
    return next(it), next(it)
def g(n):
    return next(Bad()) + n
def h(n):
    it = It(n)
    try:
        return next(it) + next(it)
    except StopIteration as e:
        return e.args, e.value, e.__context__
for fn in (f, g, h):
    for n in (2, 1, 0):
        try: print(fn.__name__, stage(fn)(n))
        except Exception as e: print(fn.__name__, type(e).__name__, e.args, [t.name for t in traceback.extract_tb(e.__traceback__)], e.__context__)
