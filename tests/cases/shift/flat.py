# Gradients by continuations are flat code: no calls, no loops, no objects. A small recurrent network's inner loop.
#@ golden ir derivative(1.5)
import pathlib
import runpy

from snekpy import stage

example = pathlib.Path(__file__).resolve().parents[3] / "examples" / "lantern_ad.py"
lantern = runpy.run_path(str(example))
grad, recurrent = lantern["grad"], lantern["recurrent"]
derivative = stage(grad(recurrent), strict=True)

print([round(derivative(x), 12) for x in (0.0, 0.5, 1.5)])
for name in "polynomial", "branching", "powers", "recurrent":
    f = lantern[name]
    strict = stage(grad(f), strict=True)
    print(name, [strict(x) == grad(f)(x) for x in (-1.5, 0.0, 0.5, 1.0, 1.5, 4.0)])
