# `inspect` of a view that there is not.
from snekpy import stage


@stage
def f(x):
    return x + 1


f(1)
print(f.inspect("wasm"))
