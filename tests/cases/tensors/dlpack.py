# Memory is lent and borrowed by DLPack, not copied, and given back.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import gc

import snekpy.numpy as np
from snekpy import stage

a = np.arange(6.0).reshape(2, 3)
b = np.from_dlpack(a)
b[0, 0] = 9
print(a, b.dtype, a.__dlpack_device__())
c = np.from_dlpack(a[::-1, ::2])
print(c)
c[0] = 1
print(a)


class Lender:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


for name in ("bool", "int32", "int64", "float16", "bfloat16", "float32", "float64"):
    made = np.from_dlpack(Lender(np.ones((2,), dtype=name)))
    print(made.dtype, made.tolist())
print(np.from_dlpack(np.zeros((0, 3))).shape, np.from_dlpack(np.array(3)), np.from_dlpack(a, copy=True) is a)
capsule = a.__dlpack__()
del capsule
gc.collect()
capsule = a.__dlpack__()


class Once(Lender):
    def __dlpack__(self):
        return capsule


np.from_dlpack(Once(a))
for wrong in (
    lambda: np.from_dlpack(Once(a)),
    lambda: np.from_dlpack([1]),
    lambda: np.frombuffer(b"12345678").__dlpack__(),
    lambda: a.__dlpack__(stream=1),
    lambda: a.__dlpack__(dl_device=(2, 0)),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
del a, b
gc.collect()
print(c)


@stage
def through(x):
    y = np.from_dlpack(x * 2)
    y += 1
    return y, y.sum()


for i in range(3):
    print(through(np.arange(3.0) + i))
