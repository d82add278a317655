"""Whether memory stays flat over very many crossings.

    snekpy -X snek:stage=always crossings.py SCENARIO

Each scenario has compiled code ask the interpreter for one kind of thing. Short calls come first, until memory is what it
will be, and then calls with a million crossings, most scenarios in one call; leaving compiled code, which takes as long as
many crossings, counts as twenty. Prints how many there were, how often compiled code was left, and by how many KiB more
than before the process had at any time.
"""

import collections
import gc
import heapq
import io
import re
import sys

from snekpy import stage

PAGE = 4
WANTED = 1_000_000
#: So many crossings take as long as leaving compiled code and coming back.
LEAVING = 20
#: Rounds of a short call, and of a long one.
SHORT, LONG = 200, 200_000
#: The same where the call is left: what follows may be plain Python.
FEW = {"short": 3, "unpacked": 14, "raising": 20, "left": 100}


@stage
def texts(n, word):
    length = 0
    for i in range(n):
        text = word + str(i)
        length += len(text.upper()) + text.find("7")
        if text[1:3] == "b1":
            length += ord(text[0])
        f"{text}-{i}"
    return length


@stage
def items(n, word):
    rows, found, total = [], {}, 0
    for i in range(n):
        rows.append((word, i, i * 0.5))
        name, number, half = rows[-1]
        found[name] = found.get(name, 0) + number
        total += len(rows)
        if len(rows) > 8:
            rows.pop(0)
            rows[2] = (word, 1, 0.5)
            del rows[3]
        if i % 100 == 0:
            found = {}
    return total, len(found)


@stage
def methods(n, word):
    out, line, heap = io.StringIO(), collections.deque(), []
    for i in range(n):
        out.write(word)
        line.append((i, word))
        heapq.heappush(heap, (i % 7, word))
        if len(line) > 5:
            line.popleft()
            heapq.heappop(heap)
        if i % 200 == 0:
            out = io.StringIO()
    return len(out.getvalue()), len(line)


@stage
def iterators(n, word):
    total = 0
    for i in range(n // 8):
        for part in word.split("b"):
            total += len(part)
        for k, c in enumerate(word):
            if c == "c":
                break
            total += k
        for a, b in zip(word, [word, i]):
            if b == word:
                total += 1
    return total


@stage
def unpacked(n, word):
    """By turns what can be unpacked, what is too long, and what is none; of numbers and of texts."""
    kinds = [(word, 1), (1, word), [2.5, word], (None, None), (n, n), (word, word, word), word, [word]]
    pairs, wrong = 0, 0
    for i in range(n):
        try:
            a, b = kinds[i if i < 8 else 4]
        except ValueError:
            wrong += 1
        else:
            pairs += a != b
    return pairs, wrong


@stage
def dropped(n, word):
    rows, found = [word, [word], (word, 2)], {word: [1]}
    for i in range(n):
        found.get(word)
        found.get(i)
        word.split("b")
        rows[i % 3]
        rows[:2]
        [word, i]
        {word: rows}
    return len(rows)


@stage
def raising(n, word):
    found, failed = {word: 1}, 0
    for i in range(n):
        try:
            failed += found[word if i != 15 else str(i)]
        except KeyError:
            failed += 2
        try:
            failed += int(word if i == 17 else str(i)) % 3
        except ValueError:
            failed += 1
    return failed


PATTERN = re.compile("[a-c]+")


@stage
def matched(n, word):
    total = 0
    for i in range(n):
        found = PATTERN.match(word + str(i))
        if found is not None:
            total += found.end()
        total += len(PATTERN.sub("x", word))
    return total


@stage
def short(n, word):
    total = 0
    for part in word:
        total += ord(part)
    rows = [word] * n
    rows.append((word, n))
    return total, len(rows)


@stage
def left(n, word):
    """A call that capture cannot follow in each round of the outer loop."""
    rows, total = [], 0
    for i in range(n // 10):
        for k in range(10):
            rows.append(word + str(k))
        total += len(rows)
        if len(rows) > 50:
            rows = []
        seen(rows)
    return total


def seen(rows):
    sys._getframe()
    return rows


SCENARIOS = {it.__wrapped__.__name__: it for it in (
    texts, items, methods, iterators, unpacked, dropped, raising, matched, short, left)}


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * PAGE


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def counted(function):
    """How many crossings there were, and how often compiled code was left."""
    stats = function.stats()
    rows = stats["specialisations"] + [row for it in stats["reentries"] for row in it["specialisations"]]
    crossings = sum(it["count"] for row in rows for it in row["crossings"])
    return crossings, sum(it["count"] for row in rows for it in row["resumes"])


def until(function, rounds, wanted):
    """Calls with other texts each time, until there was so much."""
    number = 0
    while done(function) < wanted:
        for _ in range(1 if rounds == LONG else 200):
            number += 1
            function(rounds, f"ab{number % 10}cab" + "z" * 70)


def done(function):
    crossings, left = counted(function)
    return crossings + LEAVING * left


def main(name):
    function = SCENARIOS[name]
    until(function, FEW.get(name, SHORT), WANTED // 5)
    gc.collect()
    forget_peak()
    before, crossings = resident(), counted(function)
    until(function, FEW.get(name, LONG), done(function) + WANTED)
    grown, now = peak() - before, counted(function)
    print(now[0] - crossings[0], "crossings,", now[1] - crossings[1], "left,", grown, "KiB")


if __name__ == "__main__":
    main(sys.argv[1])
