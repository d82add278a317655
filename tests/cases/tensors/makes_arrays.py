# A staged function makes arrays of numbers that are known only at the call.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import random, stage


@stage
def filled(n, value):
    made = np.zeros(n)
    for i in range(n):
        made[i] = value * i
    return made


@stage
def wave(a, b):
    return np.sin(np.linspace(a, b, 5)) * a


@stage
def table(a, b):
    made = np.array([[a, b], [b, a + b]])
    made[0] += 1
    return made, made.sum(), float(made.max()) + a


@stage
def noise(seed, n):
    return random.normal(random.key(seed), (n,)).round(3).tolist()


for _ in range(2):
    print(filled(4, 1.5), filled(0, 2.0), filled(3, 2))
    print(wave(0.5, 2.0), wave(1.0, 3))
    print(table(1.0, 2.0), table(1, 2))
    print(noise(3, 2), noise(4, 3))
