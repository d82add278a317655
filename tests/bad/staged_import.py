# An import that does not exist, in staged code.
from snekpy import stage


@stage(strict=True)
def load(x):
    if x > 0:
        import no_such_module
    return x


print(load(-1))
print(load(1))
