# stdlib: the recipes of the documentation of `itertools`, with staged numbers.
import collections
import itertools
import operator
from itertools import chain, combinations, count, cycle, islice, repeat, starmap, tee, zip_longest

from support import show


def take(n, iterable):
    return list(islice(iterable, n))


def prepend(value, iterable):
    return chain([value], iterable)


def tabulate(function, start=0):
    return map(function, count(start))


def tail(n, iterable):
    return iter(collections.deque(iterable, maxlen=n))


def nth(iterable, n, default=None):
    return next(islice(iterable, n, None), default)


def all_equal(iterable):
    g = itertools.groupby(iterable)
    return next(g, True) and not next(g, False)


def quantify(iterable, pred=bool):
    return sum(map(pred, iterable))


def ncycles(iterable, n):
    return chain.from_iterable(repeat(tuple(iterable), n))


def batched(iterable, n):
    if n < 1:
        raise ValueError("n must be at least one")
    it = iter(iterable)
    while batch := tuple(islice(it, n)):
        yield batch


def sum_of_squares(it):
    return sum(map(operator.mul, *tee(it)))


def convolve(signal, kernel):
    kernel = tuple(kernel)[::-1]
    n = len(kernel)
    window = collections.deque([0], maxlen=n) * n
    for x in chain(signal, repeat(0, n - 1)):
        window.append(x)
        yield sum(map(operator.mul, kernel, window))


def polynomial_from_roots(roots):
    expansion = [1]
    for r in roots:
        expansion = list(convolve(expansion, (1, -r)))
    return expansion


def polynomial_eval(coefficients, x):
    if not coefficients:
        return x * 0
    powers = map(pow, repeat(x), reversed(range(len(coefficients))))
    return sum(map(operator.mul, coefficients, powers))


def iter_index(iterable, value, start=0):
    for i, item in enumerate(islice(iterable, start, None), start):
        if item is value or item == value:
            yield i


def sliding_window(iterable, n):
    it = iter(iterable)
    window = collections.deque(islice(it, n - 1), maxlen=n)
    for x in it:
        window.append(x)
        yield tuple(window)


def grouper(iterable, n, fillvalue=None):
    return zip_longest(*[iter(iterable)] * n, fillvalue=fillvalue)


def pairwise(iterable):
    a, b = tee(iterable)
    next(b, None)
    return zip(a, b)


def triplewise(iterable):
    for (a, _), (b, c) in pairwise(pairwise(iterable)):
        yield a, b, c


def roundrobin(*iterables):
    active = len(iterables)
    nexts = cycle(iter(it).__next__ for it in iterables)
    while active:
        try:
            for get in nexts:
                yield get()
        except StopIteration:
            active -= 1
            nexts = cycle(islice(nexts, active))


def partition(pred, iterable):
    a, b = tee(iterable)
    return list(filter(lambda x: not pred(x), a)), list(filter(pred, b))


def before_and_after(predicate, it):
    it = iter(it)
    transition = []

    def true_iterator():
        for item in it:
            if predicate(item):
                yield item
            else:
                transition.append(item)
                return

    first = list(true_iterator())
    return first, list(chain(transition, it))


def powerset(iterable):
    s = list(iterable)
    return chain.from_iterable(combinations(s, r) for r in range(len(s) + 1))


def unique_everseen(iterable, key=None):
    seen = []
    for element in iterable:
        k = element if key is None else key(element)
        if k not in seen:
            seen.append(k)
            yield element


def unique_justseen(iterable):
    return map(next, map(operator.itemgetter(1), itertools.groupby(iterable)))


def first_true(iterable, default=False, pred=None):
    return next(filter(pred, iterable), default)


def nth_combination(iterable, r, index):
    pool = tuple(iterable)
    n = len(pool)
    c = 1
    k = min(r, n - r)
    for i in range(1, k + 1):
        c = c * (n - k + i) // i
    if index < 0:
        index += c
    if index < 0 or index >= c:
        raise IndexError
    result = []
    while r:
        c, n, r = c * r // n, n - 1, r - 1
        while index >= c:
            index -= c
            c, n = c * (n - r) // n, n - 1
        result.append(pool[-1 - n])
    return tuple(result)


def repeatfunc(func, times, *args):
    return starmap(func, repeat(args, times))


def sieve(n):
    data = bytearray((0, 1)) * (n // 2)
    data[:3] = 0, 0, 0
    limit = int(n**0.5) + 1
    for p in range(3, limit, 2):
        if data[p]:
            data[p * p : n : p + p] = bytes(len(range(p * p, n, p + p)))
    return [2] + [i for i in range(3, n, 2) if data[i]] if n > 2 else []


def factor(n):
    for prime in (2, 3, 5, 7, 11, 13):
        while not n % prime:
            yield prime
            n //= prime
            if n == 1:
                return
    if n > 1:
        yield n


# Each of them with staged numbers in it.
def use_take(n, x):
    return take(n, [x, 2, 3])


def use_prepend(x, y):
    return list(prepend(x, [y, 2]))


def use_tabulate(x):
    return take(3, tabulate(lambda v: v * v, x))


def use_tail(n, x):
    return list(tail(n, [1, 2, x]))


def use_nth(n, x):
    return nth([1, x, 3], n, x)


def use_all_equal(a, b):
    return all_equal([a, b, 1])


def use_quantify(a, b):
    return quantify([a, b, 0, 5], lambda v: v > 1)


def use_ncycles(x, n):
    return list(ncycles([x, 2], n))


def use_batched(x, n):
    return list(batched([x, 2, 3, 4, 5], n))


def use_sum_of_squares(a, b):
    return sum_of_squares([a, b, 3])


def use_convolve(a, b):
    return list(convolve([1, a, 3], [b, 1]))


def use_roots(a, b):
    return polynomial_from_roots([a, b])


def use_eval(x):
    return polynomial_eval([1, -4, -17, 60], x), polynomial_eval([], x)


def use_iter_index(x):
    return list(iter_index([1, 2, x, 1, 2], 2))


def use_sliding_window(x, n):
    return list(sliding_window([1, x, 3, 4], n))


def use_grouper(x, n):
    return list(grouper([1, 2, x, 4], n, 0))


def use_pairwise(a, b):
    return list(pairwise([a, b, 3]))


def use_triplewise(a, b):
    return list(triplewise([a, b, 3, 4]))


def use_roundrobin(a, b):
    return list(roundrobin([a, 2, 3], [b], [7, 8]))


def use_partition(a, b):
    return partition(lambda v: v % 2, [a, b, 1, 2])


def use_before_and_after(a, b):
    return before_and_after(lambda v: v < 3, [1, a, b, 1])


def use_powerset(a, b):
    return list(powerset([a, b, 3]))


def use_unique_everseen(a, b):
    return list(unique_everseen([1, a, b, 2])), list(unique_everseen([a, b, -a], abs))


def use_unique_justseen(a, b):
    return list(unique_justseen([1, a, b, 2]))


def use_first_true(a, b):
    return first_true([0, a, b], -1), first_true([a, b], None, lambda v: v > 2)


def use_nth_combination(r, index):
    return nth_combination("abcde", r, index)


def use_repeatfunc(a, n):
    return list(repeatfunc(lambda v: v + 1, n, a))


def use_factor(n):
    return list(factor(n))


def use_accumulate(a, b):
    return list(itertools.accumulate([a, b, 3])), list(itertools.accumulate([a, b], lambda x, y: x * y, initial=2))


def use_product(a, b):
    return list(itertools.product([a, 1], [b, 2])), list(itertools.permutations([a, b], 2))


def use_while(a, b):
    return (
        list(itertools.takewhile(lambda v: v < 3, [a, b, 1])),
        list(itertools.dropwhile(lambda v: v < 3, [a, b, 1])),
        list(itertools.filterfalse(lambda v: v < 3, [a, b, 1])),
        list(itertools.compress([a, b, 1], [b, a, 0])),
    )


show(use_take, (2, 1), (0, 1), (5, 2.5), (-1, 1))
show(use_prepend, (1, 2), (0, -1), (2.5, 1))
show(use_tabulate, 0, 3, -1, 2.5)
show(use_tail, (2, 1), (0, 1), (5, 2.5))
show(use_nth, (0, 1), (1, 2.5), (3, 7))
show(use_all_equal, (1, 1), (1, 2), (1.0, True), (0, 0))
show(use_quantify, (1, 2), (2.5, 3), (0, -1))
show(use_ncycles, (1, 2), (2.5, 0), (0, -1), (7, 3))
show(use_batched, (1, 2), (2.5, 3), (0, 10), (1, 0))
show(use_sum_of_squares, (1, 2), (0.5, -1), (0, 0))
show(use_convolve, (2, 1), (0.5, -1), (0, 0))
show(use_roots, (5, -4), (0.5, 2), (0, 0))
show(use_eval, 0, 1, 2.5, -4)
show(use_iter_index, 1, 2, 2.0, 3)
show(use_sliding_window, (2, 2), (2.5, 3), (0, 1), (0, 5), (0, 0))
show(use_grouper, (3, 2), (2.5, 3), (0, 1), (0, 0), (1, -1))
show(use_pairwise, (1, 2), (0.5, -1), (0, 0))
show(use_triplewise, (1, 2), (0.5, -1), (0, 0))
show(use_roundrobin, (1, 2), (0.5, -1), (0, 0))
show(use_partition, (1, 2), (0.5, -1), (0, 0))
show(use_before_and_after, (1, 2), (0.5, 7), (9, 0))
show(use_powerset, (1, 2), (0.5, -1), (0, 0))
show(use_unique_everseen, (1, 2), (0.5, -0.5), (1.0, 2), (3, 4))
show(use_unique_justseen, (1, 2), (0.5, -0.5), (1.0, 2), (3, 3))
show(use_first_true, (1, 2), (0.5, 3), (0, 0), (0, 4))
show(use_nth_combination, (2, 3), (3, 0), (3, -1), (2, 10), (0, 0), (5, 0))
show(use_repeatfunc, (1, 3), (0.5, 2), (0, 0), (1, -1))
show(use_factor, 60, 97, 1, 2, 221, 1001)
show(use_accumulate, (1, 2), (0.5, -1), (0, 0))
show(use_product, (1, 2), (0.5, -1), (0, 0))
show(use_while, (1, 2), (0.5, 5), (9, 0))

# Recipes themselves, staged.
show(sieve, 10, 30, 2, 0, 100)
show(sum_of_squares, ([1, 2, 3],), ([],), ([0.5, -1],))
show(polynomial_eval, ([1, 2], 3), ([], 2.5), ([1.5, 0, -1], 2))
show(polynomial_from_roots, ([1, 2],), ([],), ([0.5, -1],))
show(nth, ([1, 2, 3], 1), ([1, 2, 3], 5), ([], 0, 7))
show(all_equal, ([1, 1],), ([],), ([1, 1.5],))
