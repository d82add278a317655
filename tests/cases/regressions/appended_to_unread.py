"""What a loop appends to a list of the world, of which compiled code has read nothing until then, stands behind what the
list holds when the call begins, whatever that is."""

from snekpy import stage

item = [0, 1, 2]
one, none = [item], []


def lengthen(items):
    items.append(len(items))


def main(n, put):
    for _ in range(n % 16):
        put(item)
    return n


staged = stage(main)
# From the fourth time on, the code is given what is in `item`.
for k in range(4):
    print(staged(3, lengthen), item)
    item[:] = [k, k + 1]

for into in (one, none):
    put = into.append
    for before in (into[:], [*into, "x"], [], [None, item]):
        into[:] = before
        print(staged(4, put), staged(0, put), len(into), into[:2], into[-2:], into[-1] is item)
    item.append(7)
    print(staged(3, put), into)
    assert all(it is item for it in into[1:])
