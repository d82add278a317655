# Texts of containers show the moment.
from array import array
from collections import deque, OrderedDict, defaultdict, Counter
from snekpy import stage

@stage
def deques(n):
    q = deque([1, 2])
    before = str(q)
    q.append(n)
    return before, f'{q}', repr([q]), '%s' % q, '{}'.format(q)

@stage
def in_containers(n):
    d, s, q, b = {1: 2}, {1}, deque([1]), bytearray(b'a')
    texts = [str([d]), f'{(s, n)}', '%s' % ([q, n],), f'{[b]}', str({'k': q}), repr((d, [s, [q]]))]
    d[n] = n
    s.add(n)
    q.append(n)
    b.append(n)
    texts += [str([d]), f'{(s, n)}', '%s' % ([q, n],), f'{[b]}', str({'k': q}), repr((d, [s, [q]]))]
    return texts

@stage
def loop(xs):
    steps = []
    q, d, l, s = deque([0]), {}, [], set()
    for x in xs:
        steps.append(f'{x}: {q} {d} {l} {s}')
        q.append(x); d[x] = x; l.append(x); s.add(x)
    return steps

@stage
def lists_of_lists(n):
    rows = [[0] * n for _ in range(3)]
    texts = []
    for i in range(3):
        texts.append(str(rows))
        rows[i][0] = i + n
    return texts

@stage
def deque_with_maxlen(xs):
    q = deque(maxlen=2)
    out = []
    for x in xs:
        q.append(x)
        out.append(str(q))
        q.appendleft(-x)
        out.append(f'{[q, x]}')
    return out

@stage
def arrays(a, n):
    t = str([a, n])
    a[0] = n
    return t, str([a, n]), f'{a}'

@stage
def in_itself(n):
    q = deque([n])
    q.append(q)
    return str(q), f'{[q]}'

@stage
def defaults(n):
    d = defaultdict(list)
    d['a'].append(n)
    t = str(d), f'{[d]}', f'{d["a"]}'
    d['a'].append(n + 1)
    c = Counter('abc')
    u = str(c)
    c['z'] = n
    return t, str(d), u, str(c)

class P:
    def __init__(self): self.items = deque()
    def __repr__(self): return f'P({self.items})'

@stage
def objects(n):
    p = P()
    t = [repr(p)]
    p.items.append(n)
    t.append(str(p))
    p.items.append(n + 1)
    t.append(f'{[p]}')
    return t

@stage
def errors(n):
    q = deque([n])
    try:
        raise ValueError(q)
    except ValueError as e:
        t = str(e), repr(e), f'{e}'
        q.append(n)
        return t, str(e)

@stage
def views(n):
    d = {'a': n}
    t = str(d.items()), f'{d.keys()}', str([d.values()])
    d['b'] = n
    return t, str(d.items()), f'{d.keys()}'

@stage
def joined(xs):
    q = deque()
    parts = []
    for x in xs:
        q.append(x)
        parts.append(repr(q))
    return '; '.join(parts)

for n in (3, 4, 5):
    for f in deques, in_containers, lists_of_lists, in_itself, defaults, objects, errors, views:
        print(f.__name__, f(n))
    for f in loop, deque_with_maxlen, joined:
        print(f.__name__, f([1, n, 3]), f((1, n)))
    print(arrays(array('d', [1.0, 2.0]), 5.0), arrays(array('q', [1, 2]), n))
