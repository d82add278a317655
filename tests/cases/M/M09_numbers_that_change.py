# M09: numbers of globals, attributes and closures that change, in the call and between the calls.
from snekpy import stage
lr = 0.5
count = 0
class Box:
    def __init__(self): self.n = 0; self.hits = 0
    def add(self, x):
        self.n += x
        if x > 2:
            self.hits += 1
        return self.n
box = Box()
@stage
def step(x):
    global count
    count += 1
    return x * lr
@stage
def many(n):
    global count
    for i in range(n):
        if i % 2: count += i
    return count
add = stage(box.add)
def outer():
    k = 0
    def inc(x):
        nonlocal k
        k += x
        return k
    def get(): return k
    return stage(inc), get
inc, get = outer()
def fact(n):
    global count
    if n <= 0: return 1
    return lr * fact(n - 1)
sf = stage(fact)
for i in range(6):
    lr = lr * 0.5
    print(step(i), step(float(i)), many(i), add(i), inc(i), get(), count, box.n, box.hits, sf(i + 2))
