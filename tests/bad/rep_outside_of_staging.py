# A staged value exists only while its function is staged.
from snekpy import stage

kept = []


@stage
def keep(x):
    kept.append(x)
    return x + 1


print(keep(1))
print(kept)
