# The warning of `~` of a truth value tells the line of the program.
#@ reference snekpy: CPython 3.11 does not warn
import warnings
from snekpy import stage
@stage
def f(a):
    x = 1
    return ~a
@stage
def g(n):
    t = 0
    for i in range(n):
        t += ~(i > 2)
    return t
@stage
def h(xs):
    return [~x for x in xs]
def call(fn, *args):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter('always')
        print(fn(*args), [x.lineno for x in w], [x.category.__name__ for x in w])
for r in range(3):
    call(f, True); call(f, 3); call(f, False)
    call(g, 5); call(g, 20)
    call(h, [True, 2, False]); call(h, (1, 2)); call(h, [True] * 50)
