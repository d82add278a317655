# C: rounding adds up in the order in which the program adds.
from support import show


def tenth(n):
    s = 0.0
    while n > 0:
        s += 0.1
        n -= 1
    return s


def newton(x):
    guess = 1.0
    while abs(guess * guess - x) > 1e-12 * x:
        guess = 0.5 * (guess + x / guess)
    return guess


show(tenth, 10, 0, 1000)
show(newton, 2.0, 9, 1e10, 0.25)
