# Loops that are unrolled, `with`, ints past 64 bits before and after an effect.
STATE = {'k': 0}


class Ctx:
    def __enter__(self):
        STATE['k'] += 1
        return self
    def __exit__(self, *a):
        print('exit', a[0] is None)
        return False


@stage
def f(n):
    t = 0
    for i in range(n):
        with Ctx() as c:
            for j in range(2):
                t += j
    return t


@stage
def big(n):
    x = 1
    for i in range(n):
        x *= 1000003
    return x


@stage
def big2(n):
    x = 1
    for i in range(n):
        print(i)
        x *= 1000003
    return x


@stage
def static(n):
    t = 0
    for i in range(20):
        t += 1
    for i in range(4):
        t += n
    k = 0
    while k < 30:
        k += 1
    return t + n + k


def main():
    STATE['k'] = 0
    try:
        print(f(3))
        print(big(2), big(6))
        print(big2(5))
        print(static(1))
    finally:
        print(STATE)
