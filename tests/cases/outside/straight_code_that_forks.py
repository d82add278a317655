# The paths of an instruction that forked meet behind it: the code is as long as the program, not exponential.
from snekpy import stage


def lines(text, count):
    body = "\n".join(f"    {text}" for _ in range(count))
    space = {}
    exec(f"def f(x):\n    r = s = t = None\n{body}\n    return r, s, t\n", space)
    return stage(space["f"])


for text in (
    "r = (x, 1) == (1, x)",
    "r = min((x, 1), (1, x))",
    "r = {1: 2, 3: 4}.get(x)",
    'r = [1, "a", None, 2.0][x]',
    "r = max(x, 1.5)",
    "r = x ** x",
    'r = (1, "a")[x > 0]',
    "r = (x, 1) == (1, x); s = max(x, 2); t = (r, s)",
    "r = [x, 1] < [1, x] or x in (1, 2, 3)",
):
    f = lines(text, 64)
    try:
        print(text, f(1), f(3), f(2))
    except TypeError as e:
        print(e)
    if hasattr(f, "inspect"):
        half, whole = (len(lines(text, count).inspect("captured", 1).splitlines()) for count in (32, 64))
        assert whole < 3 * half, (text, half, whole)
