# A call that begins anew as plain Python, because it asks which object a text is, begins with the lists and dicts that
# were passed and not with what compiled code has made of their copies.
from snekpy import stage


def push(items, text):
    for i in range(4):
        items.append(i)
    count = 0
    while count < 3 and text is text:
        count += 1
    return len(items), count


def put(entries, text):
    for i in range(4):
        entries[len(entries) + i] = i
    count = 0
    while count < 3 and text is text:
        count += 1
    return len(entries), count


def rows(matrix, text):
    for row in matrix:
        row[0] += 1
        row.append(5)
    count = 0
    while count < 2 and text is text:
        count += 1
    return count


staged = stage(push)
items, short = [1, 2], [7]
for which in (items, items, items, short, items, [], items, [3, 4, 5]):
    print(staged(which, "start"), which)

staged = stage(put)
entries = {0: 1}
for which in (entries, entries, {}, entries, {5: 2}, entries, entries):
    print(staged(which, "start"), which)

staged = stage(rows)
matrix = [[1, 2], [3]]
for which in (matrix, [[0]], matrix, [[1], [2], [3]], matrix, [[4, 5], [6]], matrix):
    print(staged(which, "start"), which)
