# A generator function or an async function is, staged, what it is.
import asyncio
import inspect
from snekpy import stage


@stage
def gen(n):
    for i in range(n):
        x = yield i * 2
        if x:
            yield x
    return n


@stage
async def co(n):
    await asyncio.sleep(0)
    return n + 1


@stage
async def agen(n):
    for i in range(n):
        yield i


async def collect(n):
    return [i async for i in agen(n)], await co(n)


@stage
def uses(n):
    return sum(gen(n)), list(gen(n))


print(list(gen(3)), asyncio.run(co(1)), asyncio.run(collect(3)))
g = gen(2)
print(next(g), g.send("sent"), next(g))
print(inspect.isgeneratorfunction(gen), inspect.iscoroutinefunction(co), inspect.isasyncgenfunction(agen))
print(uses(3), gen.__name__)
try:
    g = gen(1)
    next(g)
    next(g)
except StopIteration as e:
    print(e.value)
