# Another object is passed each time, and in it another dict or set: empty ones, ones that all share, that a global knows,
# that are in two places, and that hold other things.
from collections import OrderedDict, defaultdict

from snekpy import stage

COMMON = {1: 10, 2: 20}


class Cache:
    def __init__(self, size, data=None):
        self.size = size
        self.data = {} if data is None else data
        self.hits = 0


class Both:
    def __init__(self, one, other):
        self.one, self.other = one, other
        self.inner = Cache(2, one)


def work(cache, n):
    for i in range(n):
        key = i * 7 % 5
        if key in cache.data:
            cache.hits += 1
        else:
            if len(cache.data) >= cache.size:
                del cache.data[next(iter(cache.data))]
            cache.data[key] = i
    return cache.hits, len(cache.data)


def reads(cache, key):
    return cache.data.get(key, -1) + COMMON.get(key, -1), len(COMMON)


def writes(cache, key):
    cache.data[key] = cache.data.get(key, 0) + 1
    return COMMON.get(key, 0), list(cache.data.items())[-2:]


def two(both, key):
    both.one[key] = 5
    both.other[key] = 7
    both.inner.data[key] += 1
    return both.one[key], both.other[key], both.one is both.other, both.inner.data is both.one


def members(cache, n):
    for i in range(n):
        cache.data.add(i * i % 7)
    return len(cache.data), 3 in cache.data, sorted(cache.data)


staged = stage(work)
for size, data in (3, None), (4, None), (2, {}), (3, {0: 5}), (3, {9: 1, 8: 2}), (3, {0.5: 1}), (3, {"a": 1}), (3, OrderedDict()):
    cache = Cache(size, data)
    kept = cache.data
    print(staged(cache, 9), list(cache.data.items()), cache.hits, cache.data is kept)

for f in reads, writes:
    staged = stage(f)
    for data in COMMON, COMMON, {1: 1}, COMMON, {}, {5: 5}, COMMON, defaultdict(int, {1: 4}):
        for key in 1, 5:
            cache = Cache(1, data)
            print(f.__name__, staged(cache, key), cache.data is data, sorted(data.items()), COMMON)

staged = stage(two)
one = {1: 1}
for both in Both({}, {}), Both(one, one), Both(one, {}), Both({}, one), Both(COMMON, one), Both({1: 2.5}, {}), Both(one, COMMON):
    print(staged(both, 1), both.one, both.other, both.inner.data is both.one, COMMON)

staged = stage(members)
for data in set(), {1}, {2, 3}, set(), {0.5}, {"b"} - {"b"}, frozenset():
    cache = Cache(0, data)
    try:
        print(staged(cache, 6), cache.data is data)
    except AttributeError as error:
        print(error)
