"""What native code goes over: views, and iterators that a loop of compiled code has made, which are used up once."""

#@ reference snekpy: which items of a set are compared, and what max() says of nothing
import collections

from snekpy import stage


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        print("eq")
        return self.x == other.x

    def __hash__(self):
        print("hash")
        return 1

    def __lt__(self, other):
        print("lt", self.x, other.x)
        return self.x < other.x

    def __repr__(self):
        return f"Point({self.x})"


@stage
def rows_of(lines, header):
    out = []
    for line in lines:
        parts = line.split(",")
        row = dict(zip(header, parts))
        out.append(row["b"])
        pairs = zip(header, parts)
        out.append(list(pairs))
        out.append(list(pairs))
        out.append(tuple(enumerate(parts)))
        out.append(sorted(row.items()))
        out.append(list(row.values()))
        out.append(max(row.keys()))
        out.append(",".join(reversed(parts)))
        out.append(sorted(set(row.values())))
        out.append(dict(row))
        out.append(dict(sorted(row.items())))
        out.append(dict(enumerate(parts, 3)))
        out.append(str(row.items()))
        out.append(len(collections.deque(row.values(), 2)))
        out.extend(row.items())
        out.extend(zip(row, row.values()))
        out.extend(enumerate(row.items()))
        out.append(sum(enumerate(row), ()))
        out.append(dict(zip(parts, header), k=1))
        out.append(sorted(zip(parts, header, parts), reverse=True))
    return out


LINES = ["1,2,3", "x,y,z", "1,2", "é,ü,"] * 3
for n in range(4):
    found = rows_of(LINES[n:], ["a", "b", "c"])
    print(len(found), found[:25])


@stage
def objects(points, n):
    out = []
    for i in range(n):
        copy = list(points)
        out.append(copy[0])
        out.append(tuple(reversed(points)))
        out.append(len(set(zip(points, copy))))
        out.append(dict(zip(points, range(3))))
        try:
            out.append(sorted(zip(points, points)))
        except TypeError as error:
            out.append(str(error))
    return out


POINTS = [Point(3), Point(1), Point(2)]
for n in range(3):
    print(objects(POINTS, n))


@stage
def fails(rows, n):
    k = 0
    for i in range(n):
        pairs = zip(rows, rows)
        try:
            k += len(dict(pairs))
        except (TypeError, ValueError) as error:
            print(error)
        k += len(list(pairs))
        try:
            k += max(iter([]), default=5)
            k += max(enumerate([]))[0]
        except ValueError as error:
            print(error)
    return k


for rows in ([1, 2, 3], [[1], 2], [(1, 2), "x"], [], [1.5, float("nan")], ["a", [1], "b"]):
    for n in range(3):
        print(fails(rows, n))


@stage
def used_once(rows, n):
    """What grows leaves compiled code behind what has used the iterator up."""
    out = []
    for row in rows:
        pairs = zip(row, row)
        first = list(pairs)
        n = n * 10_000_019
        out.append((len(first), len(list(pairs)), n))
        letters = iter("ab")
        n = n + len("".join(letters)) * n
        out.append("".join(letters))
    return out


for n in (1, 2**40, 3):
    print(used_once([[1, 2], ["a"], []] * 2, n))


@stage
def numbers(texts):
    total = 0
    whole = 0
    for text in texts:
        total += float(text)
        whole += int(text.split(".")[0] or "0")
    return total, whole


TEXTS = ["1.5", "-2.25", "+3", "1e3", "007", ".5", "-0.0", "1_000.5", " 4.5 ", "12345678901234567890.5", "٣"]
for last in range(len(TEXTS), 0, -1):
    try:
        print(numbers(TEXTS[:last]))
    except ValueError as error:
        print(error)
for bad in ("x", "", ".", "1e", "--1", "0x1"):
    try:
        print(numbers(["1.5", bad]))
    except ValueError as error:
        print(error)


@stage
def of_dicts(table, items, n):
    out = []
    for i in range(n):
        pairs = iter(table.items())
        out.append(dict(pairs))
        out.append(dict(pairs))
        triples = zip(table, table.values(), items)
        out.append(sorted(triples))
        out.append(list(triples))
        numbers = iter(items)
        out.append(sorted(numbers))
        out.append(sum(numbers))
        out.append(max(zip(iter(table.values()), iter(table))))
    return out


for n in range(4):
    print(of_dicts({"a": 1, "b": 2}, {3, 4}, n))
print(of_dicts({"a": 1, "b": [2]}, {3, 4}, 0), of_dicts({"a": [1], "b": [2]}, {3, 4}, 1))
