# G11: a global written under a staged condition.
from support import show

last = "nothing"


def f(i):
    global last
    if i > 0:
        last = i - 1
    return i


show(f, 0)
print(last)
show(f, 5)
print(last)
show(f, 2.5, 0)
print(last)
