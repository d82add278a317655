"""What looks at elements of arrays whose sizes differ from call to call: nothing is computed on what stands for a size."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage


@stage
def positive(x):
    return x[x > 0].sum()


@stage
def places(x):
    return np.nonzero(x > 1.0)[0].sum(), np.argwhere(x > 2.0).shape


@stage
def rest(x):
    return np.sort(x, axis=0).sum(), np.median(x), len(np.unique(x)), np.where(x > 1.0)[1].sum()


for k in range(2, 6):
    x = np.arange(k * (k + 1.0)).reshape(k, k + 1) - 1.0
    print(float(positive(x)), [float(it) if not isinstance(it, tuple) else it for it in places(x)])
    print([float(it) for it in rest(x)])
    y = np.arange(k * (k + 1.0) * (k + 2)).reshape(k, k + 1, k + 2) - 1.0
    print(float(positive(y)))
