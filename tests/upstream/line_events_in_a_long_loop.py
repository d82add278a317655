# `sys.monitoring`'s LINE events are put on the EXTENDED_ARG before a FOR_ITER or a jump, which then has no effect: loops of
# more than 255 instructions jump to another place.
#@ cpython 300
#@ rustpython TypeError
import sys

exec("def f(items):\n    x = 0\n    for i in items:\n" + "        x = x + i\n" * 100 + "    return x\n")
monitoring = sys.monitoring
monitoring.use_tool_id(3, "lines")
monitoring.set_events(3, monitoring.events.LINE)
monitoring.register_callback(3, monitoring.events.LINE, lambda code, line: None)
try:
    print(f([1, 2]))
except BaseException as e:
    print(type(e).__name__)
