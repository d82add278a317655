# A coroutine cannot be staged.
from snekpy import stage


@stage
async def wait(x):
    if x > 0:
        return x
    return 0


print(wait(3))
