# M09: objects that staging has looked into change afterwards.
from support import run
from snekpy import stage


class Model:
    scale = 2

    def apply(self, x):
        return x * self.scale


coefficients = [1, 2, 3]
table = {"a": 1, "b": 2}
nested = {"layers": [[1, 2], [3]]}
names = {"x", "y"}
model = Model()


def of_a_list(x):
    total = 0
    for c in coefficients:
        total = total * x + c
    return total, len(coefficients), coefficients[-1]


def of_a_dictionary(x, key):
    if key in table:
        return x * table[key]
    return x, list(table)


def of_what_is_nested(x):
    return [[x * w for w in layer] for layer in nested["layers"]]


def of_a_set(x):
    return x if "x" in names else -x, len(names)


def of_an_object(x):
    return model.apply(x)


def with_default(x, l=coefficients):
    return x + l[0]


def make(l):
    def of_a_cell(x):
        return x + l[0], len(l)

    return of_a_cell


cell = make(coefficients)
staged = {f: stage(f) for f in (of_a_list, of_what_is_nested, of_a_set, of_an_object, with_default, cell)}
by_key = stage(of_a_dictionary)


def all_of_them():
    for function in staged:
        run(function, staged[function], (2, 0.5))
    run(of_a_dictionary, by_key, ((2, "a"), (0.5, "c")))


all_of_them()
coefficients[0] = 10
table["a"] = -1
nested["layers"][1][0] = 30
names.remove("x")
model.scale = 5
all_of_them()
coefficients.append(4)
table["c"] = 0.25
nested["layers"].append([])
names.update("xz")
del model.scale
Model.scale = 0.5
all_of_them()
coefficients[:] = [0.5]
del table["a"]
nested["layers"] = ()
names.clear()
Model.apply = lambda self, x: (x, self.scale)
all_of_them()
coefficients.clear()
table.clear()
table["c"] = "text"
del nested["layers"]
model.apply = abs
all_of_them()
