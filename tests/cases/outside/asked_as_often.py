# Native code asks `__len__`, `__length_hint__`, `__index__` and `__hash__`: as often, and with what follows.
from snekpy import stage

log = []


class Sized:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        log.append("iter")
        return iter([self.n, 1])

    def __len__(self):
        log.append("len")
        return 2


class Hinted:
    def __init__(self, n):
        self.i = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.i <= 0:
            raise StopIteration
        self.i -= 1
        return self.i

    def __length_hint__(self):
        log.append("hint")
        return self.i


class Raising:
    def __iter__(self):
        return iter([1])

    def __len__(self):
        raise ValueError("no length")


class Indexed:
    def __init__(self, n):
        self.n = n

    def __index__(self):
        log.append("index")
        return self.n


class Hashed:
    def __init__(self, n):
        self.n = n

    def __hash__(self):
        log.append("hash")
        return hash(self.n)

    def __eq__(self, other):
        log.append("eq")
        return self.n == other.n


@stage
def listed(n):
    o = Sized(n)
    return list(o), n


@stage
def sorted_(n):
    return sorted(Hinted(n)), n


@stage
def raises(n):
    try:
        return list(Raising())
    except ValueError as e:
        return str(e), n


@stage
def indexes(n):
    i = Indexed(1)
    return [10, 20, 30][i], (1, 2, 3)[i], "abc"[i], list(range(Indexed(2))), n


@stage
def hashes(n):
    h = Hashed(n)
    d = {h: 1}
    s = {h, Hashed(n)}
    return d[h], len(s), h in d


for f in (listed, sorted_, raises, indexes, hashes):
    for n in (2, 3):
        print(f.__name__, f(n), log)
        log.clear()
