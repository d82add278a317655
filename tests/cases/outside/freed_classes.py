# A staged method keeps no class alive.
import gc
import weakref
from snekpy import stage


def mk(calls):
    class A:
        @stage
        def m(self, n):
            return self.x + n

    a = A()
    a.x = 1
    for i in range(calls):
        a.m(1)
    return weakref.ref(A)


def cycle():
    o = lambda: 0

    @stage
    def f(n):
        return o.tag[0] + n

    o.tag = [1, f]
    f(1)
    return weakref.ref(o)


def two():
    class A:
        @stage
        def m(self, n):
            return self.other.m(n - 1) + 1 if n > 2 else n

    a, b = A(), A()
    a.other, b.other = b, a
    a.m(3)
    b.m(4)
    return weakref.ref(A), weakref.ref(a)


for calls in (0, 1, 3):
    r = mk(calls)
    gc.collect()
    gc.collect()
    print(calls, r() is None)
r = cycle()
gc.collect()
gc.collect()
print(r() is None)
rs = two()
gc.collect()
gc.collect()
print([r() is None for r in rs])
