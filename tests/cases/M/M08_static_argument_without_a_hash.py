# M08: a static argument that has no hash: a list or a dictionary.
from snekpy import Static, stage


@stage(static=("sizes",))
def folded(x, sizes):
    for size in sizes:
        if size > 2:
            x = x * size
        else:
            x = x + size
    return x


@stage
def configured(x, options: Static):
    if options.get("negate"):
        x = -x
    for name in sorted(options):
        if name == "scale":
            x *= options[name]
    return x


sizes = [1, 2, 3]
print(folded(1, sizes), folded(0.5, sizes), folded(1, [1, 2, 3]), folded(1, [4]), folded(1, []))
sizes.append(10)
print(folded(1, sizes), folded(0.5, sizes), folded(1, [1, 2, 3]))
options = {"negate": True, "scale": 3}
print(configured(1, options), configured(0.5, {}), configured(1, {"scale": 2}))
options["negate"] = False
print(configured(1, options))
del options["scale"]
print(configured(1, options), configured(2, {"scale": 3, "negate": 1}))
