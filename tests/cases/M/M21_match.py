# M: match on numbers.
from support import show


def f(x):
    match x:
        case 0:
            return "zero"
        case 1 | 2:
            return "few"
        case n if n < 0:
            return n * 10
        case int():
            return "many"
        case _:
            return "other"


def g(t):
    match t:
        case (a, b) if a > b:
            return a
        case (a, b):
            return b
        case [a]:
            return a * 100
        case _:
            return None


show(f, 0, 1, 2, 3, -4, 0.5, 2.0, True)
show(g, ((1, 2),), ((2, 1),), ((3,),), ((1, 2, 3),))
