# C26: a callee writes a global in a staged loop.
from support import show

y = 0


def change_y():
    global y
    y = y + 1


def f(x):
    while x > 0:
        change_y()
        x -= 1
    return y


show(f, 3, 0, 2)
print(y)
