import math, array
import snekpy.numpy as np
from snekpy import stage
@stage
def f(n):
    if n < 0:
        r = '\\'
        for i in range(50): r = repr(r)
        return r
    return n
print(f(1), f(2))
print(f.stats())
