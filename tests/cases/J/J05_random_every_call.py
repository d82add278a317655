# J05: a random choice is made anew at every call.
import random

from snekpy import stage


@stage
def f(x):
    return x + random.randint(0, 1000000)


random.seed(1)
first = [f(0) for _ in range(4)]
random.seed(1)
second = [random.randint(0, 1000000) for _ in range(4)]
print(first == second, len(set(first)))
