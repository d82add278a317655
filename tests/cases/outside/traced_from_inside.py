# Events of frames that begin after tracing is switched on by the call itself.
#@ reference snekpy: CPython 3.11 has other events of native functions
import sys
from snekpy import stage
ev = []
def tr(frame, event, arg):
    ev.append((frame.f_code.co_name, event, frame.f_lineno))
    return tr
def inner(i):
    return i * 2
@stage
def f(n):
    t = 0
    for i in range(n):
        if i == 1: sys.settrace(tr)
        t += inner(i)
        if i == 3: sys.settrace(None)
    return t
@stage
def g(n):
    t = 0
    for i in range(n):
        if i == 1: sys.setprofile(tr)
        t += inner(i)
        if i == 3: sys.setprofile(None)
    return t
for fn in f, g:
    for n in (5, 5, 5):
        ev.clear()
        print(fn(n), ev)
        sys.settrace(None); sys.setprofile(None)
