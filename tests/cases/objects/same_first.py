# Containers that begin with the same object are as many objects as were made.
from snekpy import stage

h = {}


@stage
def grown(n, word, rows):
    for q in (1, "a"):
        rows.append([word, q])
        for k in list(h):
            h[k] = n
    return rows


@stage
def made(n, word):
    a, b = [word, 1], [word, 2]
    c, d = {word: 1}, {word: 2}
    e, f = [(word, 1)], [(word, 2)]
    s, t = {word}, {word}
    a.append(n)
    s.add(n)
    return a, b, c, d, e, f, sorted(map(str, s)), sorted(map(str, t)), a is b, c is d, e is f


def shown(rows):
    return rows, [[i for i, it in enumerate(rows) if it is row] for row in rows]


for number in range(6):
    h = {"k1": "one", "k0": 1}
    print(shown(grown(number, f"w{number}", [("a", 1, 0.5)])))
    print(made(number, f"w{number}"))
