# Ctrl-C in a compiled loop is a KeyboardInterrupt that can be caught; the program goes on.
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
try:
    spin(10000000)
except KeyboardInterrupt:
    print("caught")
print(spin(11))
