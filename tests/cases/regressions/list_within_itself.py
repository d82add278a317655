"""A list of a class of the program that contains itself is an argument of code that knows another list."""

from snekpy import stage


class Items(list):
    pass


SEEN = [1, 2, 3]


@stage
def count(items, n):
    k = SEEN[0]
    for i in range(n):
        k += i
    SEEN.append(k)
    return k, items


one, two = Items([1]), Items([2])
one.append(one)
two.append([(two, one)])
for n in range(3):
    for items in (one, two):
        total, same = count(items, n)
        print(total, same is items, SEEN)
    SEEN[0] += 1

deep = Items()
for _ in range(100_000):
    deep = Items([deep])
print(count(deep, 5)[0], SEEN[-1])
while deep:
    deep = deep.pop()
