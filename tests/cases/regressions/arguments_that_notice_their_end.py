# An argument with a `__del__` ends when the program lets go of it.
from snekpy import stage


class Noisy:
    def __init__(self, x):
        self.x = x

    def __del__(self):
        print("end", self.x)


@stage
def read(noisy, n):
    return noisy.x * n


@stage
def drop(noisy, n):
    x = noisy.x
    noisy = None
    for i in range(n):
        x += i
    return x


for i in range(3):
    print(read(Noisy(i), 2.5))
    print(drop(Noisy(i + 10), 3))
print("last")
