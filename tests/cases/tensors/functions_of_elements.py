# A function of one element has the bits that the function of the whole array has, in a loop, too.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage

NAMES = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh cbrt sqrt floor "
    "reciprocal"
).split()
TEXTS = [f"np.{name}(@x)" for name in NAMES] + [
    "@x ** 1.5", "@x ** 3", "@x ** 2", "@x ** 0.5", "@x ** @y", "np.arctan2(@x, @y)", "np.hypot(@x, @y)", "np.fmod(@y, @x)",
    "np.logaddexp(@x, @y)", "@y // @x", "@y % @x",
]  # fmt: skip


def functions(text):
    space = {"np": np}
    one, all_of = text.replace("@x", "x[i]").replace("@y", "y[i]"), text.replace("@", "")
    exec(
        f"def each(x, y, out):\n    for i in range(len(x)):\n        out[i] = {one}\n    return out\n"
        f"def whole(x, y):\n    return {all_of}\n",
        space,
    )
    return space["each"], space["whole"]


for dtype in ("float64", "float32"):
    x, y = np.linspace(0.02, 0.97, 300).astype(dtype), np.linspace(1.0, 2.5, 300).astype(dtype)
    for text in TEXTS:
        each, whole = functions(text)
        found, expected = stage(each)(x, y, np.zeros(300, dtype=dtype)), stage(whole)(x, y)
        print(dtype, text, "differ:", int((found != expected).sum()), int((whole(x, y) != expected).sum()))
