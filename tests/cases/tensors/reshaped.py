# What `reshape` is told beside the shape: an order, whether to copy, and nothing that it does not know.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage


def shown(function, *args):
    try:
        made = function(*args)
        print(made.shape, made.tolist())
    except Exception as error:
        print(type(error).__name__, error)


x = np.arange(6)
turned = np.arange(6).reshape(2, 3).T
empty = np.zeros((2, 0))


def by_columns(x):
    return x.reshape((2, 3), order="F")


def by_columns_back(x):
    return x.reshape(-1, order="F")


def as_it_lies(x):
    return x.reshape(-1, order="A")


def copied(x):
    made = x.reshape(3, -1, copy=True)
    made[0, 0] = 100
    return made + x.reshape(3, 2)


def of_the_module(x):
    return np.reshape(x, (3, 2), order="F") + np.reshape(x, (-1, 2), copy=None)


for function in (by_columns, copied, of_the_module):
    shown(function, x)
    shown(stage(function), x)
def as_it_is(x):
    return x.reshape(-1, copy=False)


for function in (by_columns_back, as_it_lies, as_it_is):
    for given in (x.reshape(2, 3), turned):
        shown(function, given)
        shown(stage(function), given)
print(x.tolist())

shown(lambda: x.reshape(2, 3, copy=False))
shown(lambda: turned.reshape(-1, copy=False))
shown(lambda: np.reshape(turned, -1, copy=False))
shown(lambda: x.reshape(np.array([3, 2])))
shown(lambda: np.zeros(np.array([1, 2])))
shown(lambda: x[:1].reshape(()))
shown(lambda: x.reshape(2, 3, order="K"))
shown(lambda: x.reshape(2, 3, order="x"))
shown(lambda: x.reshape(2, 3, shape=6))
shown(lambda: x.reshape())
shown(lambda: np.ndarray.reshape(3, 2))
shown(lambda: np.ndarray.reshape())
shown(lambda: x.reshape(-1, -1))
shown(lambda: x.reshape(4, -1))
shown(lambda: x.reshape(7))
shown(lambda: x.reshape(2**62, 4))
shown(lambda: x.reshape([1] * 17))
shown(lambda: empty.reshape(-1))
shown(lambda: empty.reshape(0, -1))
print(empty.reshape(2**40, 2**40, 0).shape)
shown(lambda: x.copy("F"))
shown(lambda: x.copy(order="C"))
shown(lambda: x.copy(how="C"))
print(np.astype(x, np.float32, device="cpu").dtype.name, np.astype(x, np.float32, device=None).device)
