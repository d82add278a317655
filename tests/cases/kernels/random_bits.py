# Random numbers that are made on a device are those of the CPU.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import random, stage

DEVICE = "simt"
warnings.simplefilter("error", snekpy.ImplicitCopyWarning)
key = random.key(7)

for dtype in ("float32", "float64", "float16", "bfloat16"):
    for draw in (random.uniform, random.normal, random.exponential, random.gumbel):
        there, here = draw(key, (5, 301), dtype, device=DEVICE), draw(key, (5, 301), dtype)
        assert there.device == DEVICE and there.dtype == here.dtype and there.shape == here.shape
        # Functions of doubles are the device's.
        same = np.array_equal if dtype != "float64" or draw is random.uniform else lambda x, y: np.allclose(x, y, rtol=1e-13)
        assert same(there.to("cpu"), here), (draw, dtype)
assert np.array_equal(random.bernoulli(key, 0.3, 1000, device=DEVICE).to("cpu"), random.bernoulli(key, 0.3, 1000))
assert random.uniform(key, (0, 3), device=DEVICE).shape == (0, 3)
# Of a view, and of rows.
u = random.uniform(key, (6, 40), device=DEVICE)
assert np.array_equal(u[1:, ::3].T.to("cpu"), random.uniform(key, (6, 40))[1:, ::3].T)
assert np.array_equal((u - u.max(axis=1, keepdims=True)).to("cpu"), random.uniform(key, (6, 40)) - u.to("cpu").max(axis=1, keepdims=True))


def dropout(key, x):
    return np.where(random.uniform(key, x.shape, device=x.device) < 0.9, x / 0.9, 0.0)


staged = stage(dropout, strict=True)
x = np.ones((4, 100)).to(DEVICE)
for key in (1, 2, 3, -1):
    found = staged(key, x)
    assert found.device == DEVICE and np.array_equal(found.to("cpu"), dropout(key, x.to("cpu")))
    print(key, found.sum().to("cpu"))
