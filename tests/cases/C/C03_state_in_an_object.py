# C03: the state of the loop is in an object.
from snekpy import stage


class Variable:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value

    def add(self, by):
        self.value += by


def f(v, n):
    while v.get() < n:
        v.add(1)
    return v.get()


f = stage(f)
v = Variable(0)
print(f(v, 3), v.value, f(v, 2), v.value, f(v, 7), v.value)
