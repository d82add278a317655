# A coroutine cannot be staged, where nothing may be left to plain Python.
from snekpy import stage


@stage(strict=True)
async def wait(x):
    if x > 0:
        return x
    return 0


print(wait(3))
