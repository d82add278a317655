# When an object ends, plain Python decides: at the next assignment to the variable that holds it, or when its container
# lets go of it.
import collections, weakref
from snekpy import stage
class D:
    def __init__(self, n): self.n = n
    def __del__(self): print('del', self.n)
class P:
    def __init__(self, n): self.n = n

POOL = {}

@stage
def f(n, word):
    found = {word: 1}
    k = 0
    for i in range(n):
        t = POOL.pop(word + str(i))
        k += found[word]
        try:
            k += found['no' if i == 5 else word]
        except KeyError:
            print('caught')
            t = None
            print('after', i)
            k += 1
    t = None
    print('end')
    return k

for m in range(4):
    w = 'w' * 70 + str(m)
    for q in range(9): POOL[w + str(q)] = D(q)
    f(8, w)

LINE = collections.deque()
@stage
def g(n, word):
    k = 0
    for i in range(n):
        a, b = LINE.popleft()
        k += b if isinstance(b, int) else len(b)
        print('round', i)
        a = None
        print('gone')
    return k
for m in range(4):
    LINE.clear()
    LINE.extend([(D(q), q) for q in range(12)] + [(D(10), 'x'), (D(13), 3)])
    try:
        print(g(14, 'w' * 70 + str(m)))
    except Exception as e: print(e)

@stage
def h(n, word):
    k = 0
    a = None
    found = {word: 1}
    for i in range(n):
        r = weakref.ref(a) if a is not None else None
        a = LINE.popleft()
        if r is not None:
            print(r() is None)
        k += found[word]
        if i == 7:
            try:
                k += found['no']
            except KeyError:
                print('caught')
    r = weakref.ref(a)
    a = None
    print(r() is None)
    return k
for m in range(4):
    LINE.clear()
    LINE.extend([P(q) for q in range(14)])
    print(h(14, 'w' * 70 + str(m)))


KEPT = {}


@stage
def nested(n, word):
    k = 0
    for i in range(n):
        t = LINE.popleft()
        k += len(word) + len(t)
        print('round', i, len(t))
        t = None
        print('gone')
    return k


for m in range(4):
    LINE.clear()
    LINE.extend([([P(q), (q, 'x')], word) for q, word in enumerate('abcdef')])
    LINE.extend([([D(q), (q, 'x')], word) for q, word in enumerate('abcdef')])
    LINE.extend([({'d': D(q)}, word) for q, word in enumerate('abc')])
    print(nested(15, 'w' * 70 + str(m)))


@stage
def waiting(n, word):
    """Generators are closed when they end."""
    k = 0
    for i in range(n):
        t = LINE.popleft()
        k += len(word)
        t = None
        print('gone', i)
    return k


def closes(n):
    try:
        yield n
    finally:
        print('closed', n)


for m in range(3):
    LINE.clear()
    for q in range(6):
        LINE.append(closes(q))
        next(LINE[-1])
    print(waiting(6, 'w' * 70 + str(m)))
