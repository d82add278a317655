# `stage` of a native function.
from snekpy import stage

print(stage(len)([1, 2]))
