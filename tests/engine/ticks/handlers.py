# try, except and finally round loops; a handler that catches everything, and goes on.
LOG = []


@stage
def f(n):
    t = 0
    i = 0
    while i < n:
        try:
            LOG.append(i)
            if i % 3 == 1:
                raise ValueError(i)
            t += i
            for k in range(n):
                t += k
        except ValueError as e:
            t += 100
        finally:
            LOG.append(-i)
        i += 1
    return t


@stage
def g(n):
    t = 0
    caught = 0
    for i in range(n):
        try:
            for k in range(n):
                t += k
        except BaseException:
            LOG.append('caught')
            caught += 1
            if caught > 2:
                return t
    return t


def main():
    LOG.clear()
    try:
        print(f(5))
        print(g(4))
    finally:
        print(LOG)
