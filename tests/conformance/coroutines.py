# async and await with asyncio.
import asyncio


async def work(name, n):
    for i in range(n):
        await asyncio.sleep(0)
        print(name, i)
    return name * n


class Manager:
    async def __aenter__(self):
        return "in"

    async def __aexit__(self, *args):
        print("out")


async def ticks(n):
    for i in range(n):
        yield i


async def main():
    print(await asyncio.gather(work("a", 2), work("b", 1)))
    async with Manager() as value:
        print(value)
    print([v async for v in ticks(3)])
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        print("timeout")


asyncio.run(main())
