# G28: a function without a source file.
from snekpy import stage

space = {}
exec("def f(x):\n    return x + 1 if x > 0 else -x\n", space)
f = stage(space["f"])
print(f(1), f(-1), f(0.5))
g = stage(eval("lambda x: x * 2 if x else 7"))
print(g(3), g(0), g(0.0))
