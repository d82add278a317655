from collections.abc import Set
class S(Set):
    def __init__(self, it=()): self.d = dict.fromkeys(it)
    def __contains__(self, x): return x in self.d
    def __iter__(self): return iter(self.d)
    def __len__(self): return len(self.d)
for text in ("a |= S([2])", "a -= S([2])", "a &= S([2])", "a ^= S([2])", "a |= [1]", "a -= {2: 1}.keys()", "a |= {5: 1}.keys()", "a |= 3", "a = a | S([7])"):
    a = {1, 2}
    b = a
    try:
        exec(text)
        print(text, type(a).__name__, sorted(a), a is b)
    except TypeError as e:
        print(text, e)
