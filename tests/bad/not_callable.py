# A number is called.
from snekpy import stage


@stage
def apply(f, x):
    return f(x)


print(apply(abs, -3))
print(apply(3, -3))
