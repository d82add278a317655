# K04: after an effect, ints past 64 bits in recursive functions.
import random

from support import show


def fact(n):
    return 1 if n == 0 else n * fact(n - 1)


def in_a_call(n):
    print("first")
    a = fact(n)
    print("second", a)
    b = fact(n + 1)
    return a, b


def in_a_loop(n, k):
    print("begin")
    found = []
    for i in range(n):
        found.append(fact(i))
        if i == k:
            found[0] = fact(2 * n)
    print("end")
    return found, fact(3) + n


def in_a_generator(n):
    print("begin")
    try:
        return sum(fact(i) for i in range(n))
    finally:
        print("finally")


def says(n):
    print(n)
    if n == 0:
        return 1
    return n * says(n - 1)


def says_inside(n):
    print("begin")
    x = n + 1
    y = says(n)
    return x, y, fact(n)


def even(n, product):
    return product if n == 0 else odd(n - 1, product * 2)


def odd(n, product):
    return product if n == 0 else even(n - 1, product * 3)


def in_each_other(n):
    print(n)
    return even(n, 1), odd(n, 1)


def drawn(n, x):
    if n == 0:
        return x
    return x * 3**n + drawn(n - 1, x + int(random.random() * 0.5))


def caught(n):
    print("begin")
    try:
        return fact(n) // (n - 25)
    except ZeroDivisionError as error:
        return str(error)[-4:]


for n in (5, 19, 20, 21, 30):
    show(in_a_call, n)
    show(in_a_generator, n)
    show(says, n)
    show(says_inside, n)
show(in_a_loop, (10, 5), (30, 5), (12, 3))
show(in_each_other, 10, 90)
show(drawn, (5, 3), (60, 3))
show(caught, 5, 25, 30)
