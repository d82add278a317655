# M16: a function of several hundred lines.
from snekpy import stage

lines = ["def f(x, y):"]
for i in range(150):
    lines.append(f"    x = x + y * {i} if x < {i * 10} else x - {i}")
    lines.append(f"    y = y + {i % 7}")
lines.append("    return x, y")
space = {}
exec("\n".join(lines), space)
f = stage(space["f"])
print(f(1, 2), f(1000, -5), f(0, 0))
