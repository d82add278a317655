# A loop that never ends and does nothing that is staged: Ctrl-C ends it.
#@ interrupt 1500
from snekpy import stage


@stage
def forever(x):
    while True:
        pass


print("begin", flush=True)
forever(1)
