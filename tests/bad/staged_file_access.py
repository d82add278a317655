# A staged number decides about a file: `open` is not known to be pure, and what it gives has no type yet.
from snekpy import stage


@stage(strict=True)
def read(x):
    if x > 0:
        with open(str(x)) as file:
            return len(file.read())
    return 0


print(read(0))
print(read(3))
