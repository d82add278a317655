# While something traces, staged functions are seen like all others.
import sys
from snekpy import stage


def inner(n):
    return n + 1


@stage
def f(n):
    x = inner(n)
    for i in range(2):
        x += i
    return x


seen = []


def profile(frame, event, arg):
    if frame.f_code.co_filename == __file__ and event in ("call", "return") and frame.f_code.co_name in ("f", "inner"):
        seen.append((event, frame.f_code.co_name))


def trace(frame, event, arg):
    if frame.f_code.co_name not in ("f", "inner"):
        return None
    seen.append((event, frame.f_code.co_name, frame.f_lineno))
    return trace


print(f(1))
sys.setprofile(profile)
f(1)
f(2)
sys.setprofile(None)
print(seen)
seen.clear()
print(f(1), seen)
sys.settrace(trace)
f(1)
sys.settrace(None)
print(seen)
seen.clear()
print(f(3), seen)
