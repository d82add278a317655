# Functions that stay functions, one that is marked, and an int past 64 bits that starts over.
import functools


@stage
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@stage
def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)


@rep_fun
def sq(x):
    t = 0
    for i in range(x):
        t += x
    return t


@stage
def use(n):
    return sq(n) + sq(n + 1)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


@stage
def par(n):
    return even(n)


def main():
    print(fib(5))
    print(fact(6))
    print(fact(25))
    print(use(3))
    print(par(5))
