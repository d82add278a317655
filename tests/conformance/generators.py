# Generators, send, throw, close, yield from.
def count(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                print("got", got)
    except ValueError as error:
        yield f"caught {error}"
    finally:
        print("closing")
    return "done"


g = count(3)
print(next(g), g.send("x"), g.throw(ValueError("v")))
print(next(g, "end"))


def outer():
    result = yield from count(2)
    yield result
    yield from "ab"


print(list(outer()))
g = count(5)
next(g)
g.close()


def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1


import itertools

print(list(itertools.islice(primes(), 10)))
squares = (v * v for v in range(5) if v % 2)
print(sum(squares), list(squares))
