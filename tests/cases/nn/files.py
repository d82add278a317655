"""Models in safetensors files: what is written, byte for byte, what comes back, and what does not fit."""
#@ reference snekpy: CPython has no `snekpy.nn`
import io
import json
import os
import tempfile

import snekpy.numpy as np
from snekpy import grad, nn, optim, random


class Part:
    buffers = ("seen",)

    def __init__(self):
        self.w, self.seen, self.name, self.rate = np.array([[1.0, 2.0]], dtype="float32"), np.array([3]), "part", 0.5
        self.same = self.w


# The bytes of the format.
file = io.BytesIO()
nn.save(file, {"a": Part(), "flags": [np.array([True, False])]})
data = file.getvalue()
size = int.from_bytes(data[:8], "little")
print(json.loads(data[8 : 8 + size]), size % 8, data[8 + size :])
for name, array in nn.load(io.BytesIO(data)).items():
    print(name, array.dtype.name, array.shape, array.tolist())

# All dtypes.
kinds = {name: np.array([1.5, -2.0, 0.0]).astype(name) for name in ("bool", "int32", "int64", "float16", "bfloat16", "float32", "float64")}
file = io.BytesIO()
nn.save(file, kinds)
again = nn.load(io.BytesIO(file.getvalue()))
print([(name, it.dtype.name == name, bool((it == kinds[name]).all())) for name, it in again.items()])


# A training goes on from a file as if it had not stopped.
def make():
    model = nn.Sequential(nn.Linear(3, 4, key=1), nn.BatchNorm(4), nn.tanh, nn.Linear(4, 1, key=2))
    return {"model": model, "opt": optim.Adam(model, 1e-2)}


x = random.normal(random.key(0), (8, 3))


def steps(it, count):
    for _ in range(count):
        it["opt"].update(it["model"], grad(lambda model: (model(x, training=True) ** 2).mean())(it["model"]))


first, second = make(), make()
steps(first, 3)
folder = tempfile.mkdtemp()
path = os.path.join(folder, "training.safetensors")
nn.save(path, first)
weight = second["model"][0].weight
print(nn.load(path, second) is second, second["model"][0].weight is weight, second["opt"].count)
steps(first, 2)
steps(second, 2)
print(all(bool((a == b).all()) for a, b in zip(nn.state(first).values(), nn.state(second).values())))
os.remove(path)
os.rmdir(folder)

# Floats become the model's, ints do not become floats.
half = {"w": np.array([0.5, 0.25], dtype="float16")}
file = io.BytesIO()
nn.save(file, half)
print(nn.load(io.BytesIO(file.getvalue()), {"w": np.zeros(2)}))


def bytes_of(header, body=b"", size=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if size is None else size).to_bytes(8, "little") + text + body


good = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
model = {"w": np.zeros(2), "b": np.ones(1)}
for data, into in (
    (file.getvalue(), {"w": np.zeros(3)}),
    (file.getvalue(), {"w": np.zeros(2, dtype="int64")}),
    (file.getvalue(), model),
    (file.getvalue(), {"layers": [{"w": np.zeros(2), "b": np.ones(1)} for _ in range(3)]}),
    (b"", None),
    (b"PK\3\4 a zip file, say", None),
    (bytes_of({}, size=10**12), None),
    (bytes_of(b"[1, 2]"), None),
    (bytes_of(b"\xff{"), None),
    (bytes_of({"w": good}, b"1234567"), None),
    (bytes_of({"w": dict(good, shape=[3])}, b"12345678"), None),
    (bytes_of({"w": dict(good, shape=[-2])}, b"12345678"), None),
    (bytes_of({"w": dict(good, data_offsets=[8, 0])}, b"12345678"), None),
    (bytes_of({"w": dict(good, dtype="F8_E4M3")}, b"12345678"), None),
    (bytes_of({"w": [1]}, b"12345678"), None),
):
    try:
        print(nn.load(io.BytesIO(data), into))
    except ValueError as error:
        print(error)
print(model["w"].tolist(), nn.load(io.BytesIO(bytes_of({"w": good, "__metadata__": {"by": "hand"}}, b"\0\0\x80?\0\0\0@"))))
for wrong in ({"n": 3}, "text"):
    try:
        nn.save(io.BytesIO(), wrong)
    except ValueError as error:
        print(error)
