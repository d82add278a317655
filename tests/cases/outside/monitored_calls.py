# While a tool monitors, staged functions are seen like all others.
#@ reference snekpy: CPython 3.11 has no sys.monitoring
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
m = sys.monitoring
f(1)
m.use_tool_id(2, "tool")
m.register_callback(2, m.events.PY_START, lambda code, offset: seen.append(code.co_name))
m.set_events(2, m.events.PY_START)
f(1)
f(2)
m.set_events(2, 0)
m.free_tool_id(2)
print([name for name in seen if name in ("f", "inner")])
seen.clear()
print(f(2), seen)
