import xml, email, concurrent, importlib, json
from snekpy import stage
@stage
def f():
    from xml import sax
    return sax.__name__
@stage
def g():
    from email import charset as c, header
    return c.__name__, header.__name__
@stage
def h():
    try:
        from json import nothing
    except ImportError as e:
        return e.name, str(e)[:40]
@stage
def k():
    from concurrent import futures
    return futures.__name__
@stage
def l(n):
    total = 0
    for i in range(n):
        from xml import dom
        total += len(dom.__name__)
    return total
for r in range(3): print(f(), g(), h(), k(), l(3))
