"""Gradients by delimited continuations, after the paper on Lantern.

    snekpy examples/lantern_ad.py

Wang, Zheng, Decker, Wu, Essertel and Rompf: "Demystifying Differentiable Programming: Shift/Reset the Penultimate
Backpropagator". This is their figure 1(c) in Python. An operator computes forwards, calls the rest of the program,
`k(y)`, and when that has come back, what is known of the gradient of `y` goes to its operands. No tape is kept:
the call stack is the tape.
"""

import math

from snekpy import reset, shift, stage


class NumR:
    """A number, and the derivative of the result by it."""

    def __init__(self, x, d=0.0):
        self.x = x
        self.d = d

    def __add__(self, other):
        other = lift(other)

        def go_on(k):
            y = NumR(self.x + other.x)
            k(y)
            self.d += y.d
            other.d += y.d

        return shift(go_on)

    def __mul__(self, other):
        other = lift(other)

        def go_on(k):
            y = NumR(self.x * other.x)
            k(y)
            self.d += other.x * y.d
            other.d += self.x * y.d

        return shift(go_on)

    def __gt__(self, other):
        return self.x > lift(other).x

    __radd__ = __add__
    __rmul__ = __mul__

    def __sub__(self, other):
        return self + -1.0 * lift(other)

    def __rsub__(self, other):
        return lift(other) - self


def lift(value):
    """A constant is a number whose derivative nobody asks for."""
    return value if isinstance(value, NumR) else NumR(value)


def tanh(number):
    def go_on(k):
        y = NumR(math.tanh(number.x))
        k(y)
        number.d += (1.0 - y.x * y.x) * y.d

    return shift(go_on)


def grad(f):
    """The derivative of f, which computes with NumR."""

    def derivative(x):
        z = NumR(x)

        def forwards():
            f(z).d = 1.0

        reset(forwards)
        return z.d

    return derivative


def polynomial(x):
    return 2.0 * x + x * x * x


def branching(x):
    return x * x * x if x.x > 1.0 else 3.0 * x - 1.0


def powers(x):
    """A loop and a call: x + x**2 + x**3 + x**4."""
    total, power = 0.0 * x, x
    for _ in range(4):
        total = total + power
        power = power * x
    return total


def squash(x):
    """The paper's figure 2: divided by 2 until less than 1."""
    temp = x
    while temp > 1.0:
        temp = 0.5 * temp
    return temp


def recurrent(x):
    """The inner loop of a small recurrent network."""
    y = x
    for _ in range(3):
        y = tanh(0.5 * y + x)
    return y


def slope(f, x, h=1e-5):
    """The same by finite differences."""
    values = []
    for point in x + h, x - h:
        reset(lambda: values.append(f(NumR(point)).x))
    return (values[0] - values[1]) / (2 * h)


if __name__ == "__main__":
    for f in polynomial, branching, powers, squash, recurrent:
        derivative = stage(grad(f))
        for x in 0.5, 1.5:
            plain = grad(f)(x)
            assert derivative(x) == plain, (f, x)
            assert abs(slope(f, x) - plain) < 1e-6 * max(1.0, abs(plain)), (f, x)
            print(f"{f.__name__}'({x}) = {plain:.6f}")
