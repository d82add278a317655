# M09: globals and attributes that recursive functions, generators and exceptions read and assign, of several types.
import itertools

from snekpy import stage

counter = itertools.count()
g = 0
h = None


class Log:
    def __init__(self):
        self.n = 0
        self.last = None


log = Log()


@stage
def hanoi(n, a, b, c):
    global g, h
    if n == 0:
        h = None
        return 0
    g = g * 0.5 + a
    h = g if n % 2 else "even"
    return hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)


@stage
def fib(n):
    log.n += 1
    log.last = n
    if n < 2:
        return n
    a = fib(n - 1)
    b = log.last
    return a + fib(n - 2) + b


@stage
def even(n):
    global g
    g += 1
    return True if n == 0 else odd(n - 1)


def odd(n):
    global g
    g += 2
    return False if n == 0 else even(n - 1)


@stage
def caught(n):
    global g
    g += 1
    if n == 0:
        raise KeyError(g)
    try:
        return caught(n - 1)
    except KeyError:
        g += 10
        if n > 2:
            raise ValueError(n)
        raise
    except ValueError as error:
        g += 100
        return n, error.args


def steps(n):
    global g
    if n == 0:
        yield g
        return
    g += n
    yield from steps(n - 1)
    g -= 1
    yield g


@stage
def stepped(n):
    return list(steps(n)), g


@stage
def left_at_the_end(n):
    global h
    h = n
    if n == 0:
        return next(counter)
    r = left_at_the_end(n - 1)
    h += 1
    return r + h


position = 0
text = ""


def peek():
    return text[position] if position < len(text) else ""


def take():
    global position
    position += 1
    return text[position - 1]


def product():
    v = atom()
    while peek() == "*":
        take()
        v *= atom()
    return v


def summed():
    v = product()
    while peek() in ("+", "-"):
        v = v + product() if take() == "+" else v - product()
    return v


def atom():
    if peek() == "(":
        take()
        v = summed()
        if take() != ")":
            raise SyntaxError(position)
        return v
    v = 0
    while peek().isdigit():
        v = v * 10 + int(take())
    return v


@stage
def parse(t):
    global position, text
    position = 0
    text = t
    return summed()


for n in range(5):
    print(hanoi(n, 1, 2, 3), g, h)
    print(fib(n), log.n, log.last)
for n in (0, 1, 2.0, 5, 10.0):
    print(even(n), g)
for n in range(6):
    try:
        print(caught(n), g)
    except (KeyError, ValueError) as error:
        print(type(error).__name__, error, g)
    print(stepped(n), left_at_the_end(n), h)
for t in ("1", "12", "1+2*3", "(1+2)*3", "((2))-7", "(1", "2*(3+4)"):
    try:
        print(parse(t), position)
    except (IndexError, SyntaxError) as error:
        print(type(error).__name__, error, position)
