# Calls that leave compiled code, at once and inlined, and random numbers of the library.
import random
SEEN = 0


@stage
def noisy(x):
    global SEEN
    y = x * x + 1
    for i in range(x):
        SEEN += 1
    if y > 50:
        SEEN += 1
        y += random.Random(x).randrange(10)
        for i in range(3):
            y += i
        return y
    return y


def inner(x):
    for i in range(2):
        if x > 2:
            r = random.Random(x).random()
            x += 1
    return x


@stage
def outer(n):
    t = 0
    for i in range(n):
        t += inner(i)
        print(t)
    return t


@stage
def rnd(n):
    t = 0
    for i in range(n):
        t += random.randint(1, 6)
    return t


def main():
    global SEEN
    SEEN = 0
    random.seed(5)
    try:
        print(noisy(3), noisy(8))
        print(outer(5))
        print(rnd(4))
    finally:
        print(SEEN)
