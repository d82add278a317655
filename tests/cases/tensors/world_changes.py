# What staged code reads of an array of the world is what it is at that call, whatever reads it.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import copy
import math
import operator

import snekpy.numpy as np
from snekpy import stage

G = np.array([1.0, 2.0, 3.0])
ONE = np.array(1.0)
COUNT = np.array(2)

readers = {
    "item": lambda v: G[0] + v,
    "sum": lambda v: G.sum() * v,
    "len": lambda v: len(G) + v,
    "branch": lambda v: v + 1 if G[0] > 1 else v - 1,
    "float": lambda v: float(G[0]) + v,
    "text": lambda v: str(G) + str(v),
    "repr": lambda v: repr(ONE) + repr(v),
    "format": lambda v: f"{G} {ONE:.2f} {v}",
    "percent": lambda v: "%s %s" % (ONE, v),
    "in": lambda v: v in G,
    "equal": lambda v: (G == 3.0).tolist(),
    "minus": lambda v: (-G).tolist(),
    "abs": lambda v: abs(G).tolist(),
    "max": lambda v: max(G) + v,
    "sorted": lambda v: [float(it) for it in sorted(G)],
    "builtin sum": lambda v: sum(G) + v,
    "truth": lambda v: v if ONE else -v,
    "not": lambda v: not ONE,
    "bool": lambda v: bool(ONE) + v,
    "range": lambda v: list(range(COUNT)) + [v],
    "index": lambda v: [10, 20, 30, 40, 50][COUNT],
    "slice": lambda v: [10, 20, 30, 40, 50][:COUNT],
    "times": lambda v: [v] * int(COUNT),
    "operator": lambda v: operator.add(ONE, 1.0) * v,
    "getitem": lambda v: operator.getitem(G, 1) * v,
    "math": lambda v: math.sqrt(ONE) * v,
    "pow": lambda v: pow(ONE, 2) + v,
    "divmod": lambda v: divmod(ONE, 2)[1] + v,
    "round": lambda v: round(ONE) + v,
    "hash": lambda v: hash(ONE) == hash(1.0),
    "tuple": lambda v: tuple(float(it) for it in G) + (v,),
    "list": lambda v: [float(it) for it in list(G)],
    "unpack": lambda v: [float(it) for it in (lambda a, b, c: (c, b, a))(*G)],
    "zip": lambda v: [float(a) * b for a, b in zip(G, [1, 2, 3])],
    "enumerate": lambda v: [i * float(it) for i, it in enumerate(G)],
    "map": lambda v: list(map(float, G)),
    "all": lambda v: all(G),
    "any": lambda v: any(it > 5 for it in G),
    "shape": lambda v: G.shape + (v,),
    "dict": lambda v: {1.0: "one", 5.0: "five"}.get(ONE.item(), "none"),
    "key": lambda v: {1.0: "one", 5.0: "five"}.get(ONE, "none"),
    "compare tuple": lambda v: (ONE, 1) < (2.0, 1),
    "list equal": lambda v: [ONE] == [1.0],
    "copy": lambda v: copy.copy(G).tolist(),
    "memory": lambda v: memoryview(G).tolist(),
    "bytes": lambda v: bytes(ONE),
    "isinstance": lambda v: isinstance(G, np.ndarray),
    "where": lambda v: np.where(G > 1, v, 0.0).tolist(),
    "chain": lambda v: 0 < ONE < v,
    "min with": lambda v: float(min(ONE, v)),
    "match": lambda v: next((i for i, it in enumerate(G) if it == v), -1),
    "starred": lambda v: [*map(float, [*G])],
    "complex": lambda v: complex(ONE) * v,
    "int": lambda v: int(COUNT) ** 2,
}
staged = {name: stage(reader) for name, reader in readers.items()}
for first, one, count in ((1.0, 1.0, 2), (5.0, 5.0, 4), (0.0, 0.0, 0), (5.0, 5.0, 4)):
    G[0], ONE[()], COUNT[()] = first, one, count
    for name, function in staged.items():
        for v in (3.0, 0.5):
            result = function(v)
            print(name, result.tolist() if isinstance(result, np.ndarray) else result)
