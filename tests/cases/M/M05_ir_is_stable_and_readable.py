# M05: what is captured can be read, and is the same text each time.
#@ golden ir bisection(2.0, 40)
from snekpy import stage
from support import show


def bisection(x, steps):
    low, high = 0.0, max(x, 1.0)
    for _ in range(steps):
        middle = (low + high) / 2
        if middle * middle > x:
            high = middle
        else:
            low = middle
    return low


show(bisection, (2.0, 40), (0.25, 40), (9.0, 3))
bisection = stage(bisection)
if hasattr(bisection, "inspect"):
    text = bisection.inspect("ir", 2.0, 40)
    assert "func @bisection(" in text, text
    assert bisection.inspect("ir", 2.0, 40) == text
