# Loops over numbers stay staged beside arrays that the function only hands on.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import array

import snekpy.numpy as np
from snekpy import stage


@stage
def integrate(f, n):
    total = 0.0
    for i in range(n):
        total += f * i * 0.5
    return total


@stage
def mixed(weights, n):
    total = 0.0
    for i in range(n):
        total += i * 0.25
    return weights * total


@stage
def fill(buffer, n):
    for i in range(n):
        buffer[i] = i * 1.5
    return n


print(integrate(2.0, 10), mixed(np.ones(2), 10), mixed(3.0, 4))
memory = array.array("d", [0.0] * 4)
over = np.asarray(memory)
print(fill(memory, 4), over, over.sum())
over[0] = 9
print(memory.tolist(), fill(memoryview(over), 2), over, memory.tolist())
