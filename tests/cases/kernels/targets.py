# stage(f, target=...): a call with the arrays among its arguments moved to a device.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import stage

warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


@stage(target="simt")
def layer(x, w, b=None, *, scale=1.0):
    y = np.tanh(x @ w) * scale
    return y if b is None else y + b


x, w, b = np.sin(np.arange(12.0)).reshape(3, 4).astype("float32"), np.ones((4, 2), dtype="float32"), np.ones(2).astype("float32")
for _ in range(2):
    y = layer(x, w, b=b, scale=0.5)
    print(y.device, x.device, np.allclose(y.to("cpu"), np.tanh(x @ w) * np.float32(0.5) + b, rtol=1e-6))
print(layer(x.to("simt"), w).device, layer.__name__)


# What a function writes to its arguments is seen in them; that is a copy, which is told.
@stage(target="simt")
def changes(x, fails):
    x[:, 1] = 7.0
    x += 1.0
    if fails:
        raise ValueError("after that")
    return x


x = np.zeros((2, 3))
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    y = changes(x, False)
print(x, y.device, [it.category.__name__ for it in seen], seen[0].lineno)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        changes(x, True)
    except ValueError as error:
        print(error, x[0])


@stage(target="simt")
def both(x, y):
    return x + y, x is y


print(both(x, x)[0].to("cpu")[0], both(x, x)[1], both(x, x.copy())[1])
try:
    both(x, x[:1])
except snekpy.StagingError as error:
    print(str(error).splitlines()[0])
for target in ("gpu", "cuda:x"):
    try:
        stage(lambda x: x, target=target)
    except ValueError as error:
        print(error)
try:
    stage(lambda x: (yield x), target="simt")
except TypeError as error:
    print(error)
print(stage(lambda x: x.device, target="cpu")(x), stage(lambda x: x.device, target="simt")(x))


# In other staged code it is a call.
@stage
def outer(x, n):
    for _ in range(n):
        x = layer(x, w)[:, :1] * np.ones((1, 4), dtype="float32")
    return x


print(outer(np.ones((2, 4), dtype="float32"), 3).device)


class Model:
    def __init__(self):
        self.w = np.ones((4, 2)).to("simt")

    @stage(target="simt")
    def __call__(self, x):
        return x @ self.w


print(Model()(np.ones((1, 4))).to("cpu"))
