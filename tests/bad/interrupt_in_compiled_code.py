# Ctrl-C in a compiled loop.
#@ interrupt 1500
from snekpy import stage


@stage
def spin(n):
    i = 0
    while i < n:
        i += 1
        if i == 1000000:
            i = 0
    return i


print(spin(10), flush=True)
print(spin(10000000))
