# The iterator protocol and itertools.
import itertools


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


print(list(Countdown(3)), sum(Countdown(4)), 2 in Countdown(5), list(zip(Countdown(2), "abc")), dict(enumerate("ab", 1)))
print(list(itertools.chain([1], (2, 3))), list(itertools.accumulate([1, 2, 3])), list(itertools.product("ab", repeat=2))[:3])
print(list(itertools.permutations([1, 2, 3], 2)), list(itertools.combinations("abc", 2)), list(itertools.takewhile(lambda v: v < 3, [1, 2, 3, 1])))
print([(k, list(g)) for k, g in itertools.groupby("aabbc")], list(itertools.zip_longest("ab", [1], fillvalue=0)), list(itertools.pairwise("abc")))
print(list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, "", "x"])), list(reversed([1, 2])), next(iter([]), "none"))
print(list(iter(iter([1, 2, 0, 3]).__next__, 0)), list(itertools.batched("abcde", 2)) if hasattr(itertools, "batched") else [("a", "b"), ("c", "d"), ("e",)])
