# Several devices: arrays move between them, and what is asked of arrays on two of them copies with a warning.
#@ reference snekpy: CPython has no devices
import warnings

import snekpy
import snekpy.numpy as np
from snekpy import grad, kernel, parallel, stage

warnings.simplefilter("error", snekpy.ImplicitCopyWarning)


def fresh():
    """Arrays that nobody has looked at, on two devices."""
    return x.to("simt"), (x + 1).to("simt:1")


def told(title, call):
    try:
        found = call(*fresh())
        print(title, found.device, found.to("cpu").tolist())
    except (snekpy.ImplicitCopyWarning, ValueError) as error:
        print(title, type(error).__name__, error)


x = np.arange(6.0).reshape(2, 3)
a, b = fresh()
print(a.device, b.device, x.to("simt:0").device, b.to("simt").device, np.ones(3, device="simt:1").device)
assert b.to("simt:1") is b

# What waits on one device is moved to another one with its elements.
c = np.sqrt(b) * 2
d = c.to("simt") + a
print(d.device, d.to("cpu").tobytes() == (np.sqrt(x + 1) * 2 + x).tobytes())
print([(it * 2).sum().to("cpu").tolist() for it in (a, b)])

# Mixed, the other array is copied; the result lies where the first one does.
def write(a, b):
    b[0] = a[1]
    return b


positions = np.asarray([1, 0])
MIXED = {
    "add": lambda a, b: a + b,
    "turned": lambda a, b: b - a,
    "product": lambda a, b: b @ a.T,
    "concatenate": lambda a, b: np.concatenate([a, b]),
    "where": lambda a, b: np.where(a > 2, b, 0.0),
    "write": write,
    "positions": lambda a, b: a[(b[:, 0] > 2).astype("int64")],
    "kernel": lambda a, b: parallel(lambda i, j, a, b: a[i, j] + b[i, j], (2, 3), a, b, target="simt:1"),
    "host": lambda a, b: (a + x) * 2,
}
for name, call in MIXED.items():
    told(name, call)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told(name, call)
    staged = stage(call)
    for _ in range(3):
        told("staged", staged)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            told("staged", staged)
told("simt:9", lambda a, b: a.to("simt:9"))


# Staged code is made for where the arguments lie.
@stage
def step(w, x):
    for _ in range(3):
        w = w - 0.1 * (np.tanh(w) * x)
    return w


w = np.linspace(0.0, 1.0, 6).reshape(2, 3)
plain = w
for _ in range(3):
    plain = plain - 0.1 * (np.tanh(plain) * x)
for device in ("simt", "simt:1", "simt:2"):
    got = step(w.to(device), x.to(device))
    print(got.device, np.allclose(got.to("cpu"), plain, rtol=1e-14))
# Moved by staged code, and differentiated there.
@stage
def moved(x):
    return np.exp(x).to("simt:1") + 1


got = moved(a)
print(got.device, np.allclose(got.to("cpu"), np.exp(x) + 1, rtol=1e-14))
print(grad(lambda x: (x.to("simt:1") * 3).sum().to("simt"))(a).to("cpu").tolist())

# A target is a device for one call.
double = stage(lambda x: x * 2, target="simt:1")
print(double(a).device, double(x).device, double(x).to("cpu").tolist())
print(kernel(lambda i: i * i, 5, target="simt:1")((5,)))
print(parallel(lambda i, y: y[i, 0], 2, b, target="simt:1").device)
