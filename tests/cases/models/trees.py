"""`snekpy.tree`, staged and not."""
#@ reference snekpy: `snekpy.tree` is not in CPython
from collections import namedtuple

import snekpy.numpy as np
from snekpy import stage, tree

Pair = namedtuple("Pair", "a b")


class Layer:
    def __init__(self, w, n):
        self.w, self.n, self.none = w, n, None


def shown(it):
    return tree.map(lambda leaf: leaf.tolist() if hasattr(leaf, "tolist") else leaf, it)


model = {"layers": [Layer(np.ones(2), 1), Layer(np.arange(3.0), 2)], "pair": Pair(1.5, None), "t": (1, "x")}
print([getattr(it, "shape", it) for it in tree.leaves(model)])
leaves, structure = tree.flatten(model)
print(structure, structure.num_leaves, structure == tree.structure(model), structure == tree.structure([1]))
again = tree.unflatten(structure, leaves)
print(type(again["layers"][0]).__name__, again["layers"][0].w is model["layers"][0].w, again["pair"], again["layers"][0].none)
doubled = tree.map(lambda it: it * 2, model)
print(doubled["layers"][1].w.tolist(), doubled["layers"][1].n, doubled["pair"], doubled["t"])
print(tree.reduce(lambda a, b: a + b, {"x": 1, "y": [2, 3]}), tree.reduce(lambda a, b: a + b, [], 5), tree.all([1, {"a": 0}]))
print(tree.map(lambda a, b: a - b, {"x": 5, "y": (1, 2)}, {"x": 2, "y": (1, None)}))
for call in (
    lambda: tree.map(lambda a, b: a, {"x": 1}, {"y": 1}),
    lambda: tree.unflatten(structure, [1]),
    lambda: tree.map(lambda a, b: a, [1, 2], (1, 2)),
):
    try:
        print(call())
    except ValueError as error:
        print(error)


@stage
def step(p, g, rate):
    new = tree.map(lambda a, b: a - rate * b, p, g)
    norm = sum((it * it).sum() for it in tree.leaves(g))
    return new, norm


for k in range(4):
    p = {"w": np.ones(2) * k, "sub": [np.arange(2.0), Pair(np.ones(1), None)]}
    g = {"w": np.ones(2), "sub": [np.ones(2), Pair(np.ones(1), None)]}
    new, norm = step(p, g, 0.5)
    print(new["w"].tolist(), new["sub"][0].tolist(), new["sub"][1].a.tolist(), new["sub"][1].b, float(norm))
