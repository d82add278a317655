# The kernels of a staged function can be looked at, also for a GPU where there is none.
#@ reference snekpy: CPython has no kernels to look at
import snekpy
import snekpy.numpy as np

x = np.ones((8, 100))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def several(x, at):
    y = x @ x.T
    y[:, 1] = 0.5
    return np.concatenate([y, y]).astype("float32"), x[at].sum(axis=0)


for target in ("simt", "cuda"):
    f = snekpy.stage(softmax, target=target)
    text = f.inspect("ptx", x)
    print([line for line in text.splitlines() if "// kernel" in line or ".entry" in line], "shfl.sync" in text)
    print("\n".join(f.inspect("plan", x).splitlines()[-2:]))
    text = snekpy.stage(several, target=target).inspect("ptx", x, np.asarray([0, 3]))
    print([line for line in text.splitlines() if "// kernel" in line])
print(snekpy.stage(softmax).inspect("ptx", x))
