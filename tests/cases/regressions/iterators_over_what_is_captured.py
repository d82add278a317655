"""A dict, or a set, that a capture changes and gives back is what it was, to iterators that are on their way, too."""

from snekpy import stage


@stage
def count(d, k):
    d[k] = d[k] + 1
    return d[k]


# The table has a hole, which a new one would not have.
table = {i: i for i in range(10)}
del table[3]
for key in table:
    count(table, key)
print(table)
# The table is larger than a new one would be.
shrunk = {str(i): i for i in range(100)}
for i in range(95):
    del shrunk[str(i)]
print([count(shrunk, key) for key in shrunk], list(shrunk))


@stage
def takes_out(s, k, n):
    if n > 100:
        s.discard(k)
    return len(s)


numbers = set(range(40))
for i in range(0, 40, 3):
    numbers.discard(i)
print([takes_out(numbers, it, it) for it in numbers])
seen = []
try:
    for it in numbers:
        seen.append(takes_out(numbers, it, 95 + it))
except RuntimeError as error:
    print(seen, error)

# Iterators that a call is given.
words = {"k1": "one", "k2": 2.5}


@stage
def again(d):
    for k in sorted(map(str, d)):
        b = b""
        print(k, b.count(b"a"))
        for q in list(words):
            d.pop(q)
            words[q] = 2


again(words)
again(words)


@stage
def some(it, d, n):
    d["x"] = n
    first = next(it)
    if n > 3:
        d["y"] = n
    return first, next(it, None)


for n in range(6):
    d = {"x": 0, "a": 1, "z": 2, "b": 3}
    del d["z"]
    it = iter(d)
    print(next(it))
    try:
        print(some(it, d, n), list(it), d)
    except RuntimeError as error:
        print(n, error, d)


# Attributes and globals are dicts, too.
class Box:
    pass


@stage
def sets(box, name, n):
    if n > 2:
        box.new = n
    box.x += n
    return box.x


box = Box()
box.x, box.hole, box.y = 1, 2, 3
del box.hole
try:
    for name in vars(box):
        print(name, sets(box, name, 1))
    for name in vars(box):
        print(name, sets(box, name, 4))
except RuntimeError as error:
    print(error, vars(box))
