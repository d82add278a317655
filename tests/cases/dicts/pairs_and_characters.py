"""Dicts whose keys, and sets whose items, are characters or tuples of two or three ints: tables of the compiled code, where
each key is a number. What does not fit is left to plain Python."""

from snekpy import stage


@stage
def counted(text):
    counts = {}
    for ch in text:
        counts[ch] = counts.get(ch, 0) + 1
    return counts


@stage
def counted_by_asking(text):
    counts = {"a": 0, "b": 0}
    for ch in text:
        if ch in counts:
            counts[ch] += 1
        elif ch != " ":
            counts[ch] = 1
    return counts, "a" in counts, "z" in counts, "ab" in counts


@stage
def first_repeated(text):
    seen = set()
    for ch in text:
        if ch in seen:
            return ch, len(seen)
        seen.add(ch)
    return None, len(seen)


@stage
def walked(steps):
    x = y = 0
    visited = {(0, 0)}
    for step in steps:
        if step == "L":
            x -= 1
        elif step == "R":
            x += 1
        elif step == "U":
            y += 1
        else:
            y -= 1
        visited.add((x, y))
    return len(visited), sorted(visited), (1, 0) in visited, (x, y) in visited


@stage
def life(cells, rounds):
    alive = set()
    for x, y in cells:
        alive.add((x, y))
    for _ in range(rounds):
        counts = {}
        for x, y in alive:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        at = (x + dx, y + dy)
                        counts[at] = counts.get(at, 0) + 1
        following = set()
        for at, count in counts.items():
            if count == 3 or count == 2 and at in alive:
                following.add(at)
        alive = following
    return sorted(alive)


@stage
def paths(width, height):
    known = {}

    def count(x, y):
        if x == 0 or y == 0:
            return 1
        if (x, y) in known:
            return known[x, y]
        known[x, y] = count(x - 1, y) + count(x, y - 1)
        return known[x, y]

    return count(width, height), len(known)


@stage
def table(n):
    sums = {}
    for i in range(n):
        for j in range(i, n):
            sums[i, j] = i * 0.5 + j
    total = 0.0
    for (i, j), value in sums.items():
        total += value * (j - i)
    return total, sums.get((2, 1)), sums.get((1, 2)), sums.pop((0, 0), None), len(sums)


@stage
def triples(n):
    seen = {}
    for a in range(n):
        for b in range(n):
            seen[a, b, a * b % 5] = a - b
    del seen[0, 0, 0]
    last = seen.popitem()
    return list(seen.items())[:4], last, (1, 1, 1) in seen


@stage
def negative(n):
    found = set()
    for i in range(-n, n):
        found.add((i, -i * 1000))
        found.discard((i - 3, 3000 - i * 1000))
    return sorted(found)[:3], len(found)


@stage
def large(numbers):
    found = {}
    for number in numbers:
        found[number, -number] = 1
        found[number, 1, number] = 2
    return found


@stage
def other_keys(n):
    found = {}
    for i in range(n):
        found[i, 1] = i
    found[True, 1] = 7
    found[2.0, 1] = 8
    return found, (3.0, 1) in found, (True, True) in found, "a" in found, None in found


@stage
def mixed_keys(text):
    found = {}
    for ch in text:
        found[ch] = 1
    found["long"] = 2
    found[3] = 3
    return found


@stage
def other_values(text):
    found = {}
    for index, ch in enumerate(text):
        if index < 3:
            found[ch] = index
        else:
            found[ch] = [index]
    return found


@stage
def in_the_argument(counts, text):
    for ch in text:
        counts[ch] = counts.get(ch, 0) + 1


@stage
def missing(text, which):
    counts = {}
    for ch in text:
        counts[ch] = 1
    if which == 0:
        return counts["z"]
    pairs = {(len(ch), 0) for ch in text}
    if which == 1:
        pairs.remove((len(text), 5))
    if which == 2:
        for ch in counts:
            counts[ch + ch] = 2
    if which == 3:
        for ch in counts:
            del counts[ch]
    return counts


@stage
def together(text, other):
    ours, theirs = set(), set()
    for ch in text:
        ours.add(ch)
    for ch in other:
        theirs.add(ch)
    return sorted(ours & theirs), sorted(ours - theirs), sorted(ours | theirs), ours == theirs, ours <= theirs


@stage
def inverted(text):
    at = {}
    for index in range(len(text)):
        at[text[index]] = index
    back = {}
    for ch, index in at.items():
        back[index] = ord(ch)
    return at, back, max(at.values(), default=-1), "".join(at)


text = "the quick brown fox jumps over the lazy dog"
for given in (text, "", "aabb", "żółw ß \U0001f40d\U0001f40d"):
    print(counted(given), counted_by_asking(given), first_repeated(given), inverted(given))
    print(mixed_keys(given), other_values(given))
for steps in ("LLUURD", "", "RRRRUUUULLLLDDDD" * 3):
    print(walked(steps))
print(life([(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)], 6), life([], 3))
print(paths(6, 7), paths(0, 3), table(7), table(3), triples(4), negative(5))
print(large([1, 2]), large([2**20 - 1, -(2**20)]), large([2**20, 5]), large([2**31, 1, 2]), large([2**70]))
print(other_keys(4), other_keys(0))
for _ in range(2):
    counts = {"t": 5, "x": 1}
    in_the_argument(counts, text)
    print(counts)
for which in range(5):
    for given in ("ab", "a"):
        try:
            print(which, missing(given, which))
        except Exception as error:
            print(which, type(error).__name__, error)
print(together(text, "abc"), together("ab", "ba"))
