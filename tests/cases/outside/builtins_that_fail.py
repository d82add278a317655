# A builtin that fails has taken what it has taken.
from snekpy import stage
@stage
def sums(n):
    x = iter('ab')
    r = []
    for i in range(n):
        try: r.append(sum(x))
        except TypeError: r.append('err')
    return r, list(x)

def attempt(fn, it):
    try: return fn(it)
    except Exception as e: return type(e).__name__, str(e)

@stage
def each(xs):
    it = iter(xs)
    out = []
    for fn in (sum, sorted, ''.join, set, dict, frozenset, tuple, any, all):
        out.append(attempt(fn, it))
        out.append(next(it, 'end'))
    return out

@stage
def others(xs):
    it = iter(xs)
    out = []
    try: {*it}
    except TypeError: out.append('set')
    out.append(next(it, 'end'))
    try: [1].extend(it); 'a' in it
    except TypeError: out.append('in')
    out.append(list(it))
    return out

@stage
def enumerated(xs):
    it = enumerate(xs)
    out = []
    for i in range(3):
        try: out.append(dict(it))
        except TypeError: out.append(next(it, 'end'))
        try: out.append(sum(it))
        except TypeError: out.append(next(it, 'end'))
    return out

@stage
def zipped(xs, ys):
    it = zip(xs, ys)
    out = []
    for i in range(2):
        try: out.append(sum(it))
        except TypeError: out.append(next(it, 'end'))
    return out

@stage
def unhashable(n):
    it = iter([1, [2], 3, n])
    out = []
    try: set(it)
    except TypeError: out.append(next(it, 'end'))
    s = set()
    it = iter([n, [2], 3])
    try: s.update(it)
    except TypeError: pass
    return out, list(it), s

@stage
def unpacked(xs):
    it = iter(xs)
    try: a, b = it
    except ValueError as e: return str(e), list(it)
    return a, b, list(it)

@stage
def ended(n):
    it = iter([n])
    out = []
    for i in range(3):
        try: out.append(next(it))
        except StopIteration: out.append('stop')
    return out

for i in range(3):
    print(sums(3), sums(4))
    print(each([1, 'a', 2, 'b', 3]), each(['a', 1, 'b', 2, 3, 4]), each([(1, 2), 3, (4, 5)]), each([]))
    print(others([1, [2], 3, 4]), enumerated(['a', 'b', 'c', 'd', 'e']), zipped([1, 2, 3], 'abc'), unhashable(5))
    print(unpacked([1, 2, 3, 4]), unpacked([1]), unpacked([1, 2]), ended(3))
