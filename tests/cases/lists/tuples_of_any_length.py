"""Tuples whose length is known later: `zip(*rows)`, and `tuple()` of lists that grow."""

from snekpy import stage


def transpose(rows):
    return [list(column) for column in zip(*rows)]


def mapped(rows):
    return list(map(list, zip(*rows)))


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def columns(rows):
    return list(zip(*rows))


def shown(rows):
    for column in zip(*rows):
        print(column, len(column))
    return [sum(column) / len(column) for column in zip(*rows)], [max(c) - min(c) for c in zip(*rows)]


def unzipped(pairs, n):
    chosen = [(a, b) for a, b in pairs if a < n]
    xs, ys = zip(*chosen)
    return xs, sum(xs), ys[0], ys[-1], max(ys), len(xs)


def unzipped_in_loop(pairs, n):
    chosen = []
    for a, b in pairs:
        if a < n:
            chosen.append((a, b))
    parts = zip(*chosen)
    xs = next(parts, ())
    ys = next(parts, ())
    return xs, ys, next(parts, "end")


def changed(rows, n):
    parts = zip(*rows)
    out = []
    for column in parts:
        out.append(column[0])
        if len(rows) < n:
            rows.append([0] * 9)
        rows[0][-1] += 1
    return out, len(rows)


def kept(items, n):
    grown = []
    for item in items:
        if item < n:
            grown.append(item * 2)
    fixed = tuple(grown)
    grown.append(-1)
    return fixed, grown, len(fixed), bool(fixed)


def asked(items, n):
    fixed = tuple([item for item in items if item < n])
    found = [n in fixed, n - 1 in fixed, 3 not in fixed, fixed[1:], fixed[:-1], fixed[::2], fixed[1:2] == fixed[:1]]
    found += [fixed == tuple(items[:2]), fixed != (), isinstance(fixed, tuple), isinstance(fixed, list), type(fixed)]
    found += [sorted(fixed), list(fixed), sorted(set(fixed)), sum(fixed), any(fixed), all(fixed), list(reversed(fixed))]
    found += [list(enumerate(fixed)), list(zip(fixed, items)), [x for x in fixed if x], tuple(fixed)]
    return found


def more(items, n):
    fixed = tuple([item for item in items if item < n])
    found = [fixed + (1,), fixed * 2, fixed.count(2), fixed.index(1), f"{fixed}", str(fixed), repr(fixed), hash(fixed)]
    return found, {fixed: 1}, fixed < (1, 2), fixed is fixed, [*fixed, 7], max(fixed, default=0)


def errors(items, n):
    fixed = tuple([item for item in items if item < n])
    try:
        return fixed[n]
    except IndexError as error:
        print(error)
    try:
        fixed[0] = n
    except TypeError as error:
        print(error)
    try:
        fixed.append(n)
    except AttributeError as error:
        print(error)
    first, second, *others = fixed
    return first, second, others


def iterators(items, n):
    fixed = tuple([item for item in items if item < n])
    made = iter(fixed)
    print(type(made).__name__, next(made, None))
    return made


def leaves(items, n):
    fixed = tuple([item for item in items if item < n])
    for item in fixed:
        if item == 2:
            print("two", fixed)
        n += 10 ** (item * 5)
    return n


def stored(items, n):
    fixed = tuple([item for item in items if item < n])
    table = {"a": fixed}
    pairs = [(n, fixed), fixed]
    return table, pairs, table["a"] is pairs[1], last(fixed)


def last(items):
    return items[-1] if items else None


def choose(items, n):
    fixed = ()
    for item in items:
        if item > n:
            fixed = tuple([other for other in items if other > item])
    return fixed, len(fixed)


def attempt(function, *arguments):
    try:
        return function(*arguments)
    except (IndexError, ValueError, TypeError) as error:
        return type(error).__name__, str(error), error.__traceback__.tb_next.tb_lineno


ROWS = [[[1, 2, 3], [4, 5, 6]], [[1.5, 2.5]], [[1], [2], [3]], [], [[]], [[1, 2], [3]], [[1, 2, 3]] * 2]
PAIRS = [(i, i * 0.5) for i in range(8)]

for function in transpose, mapped, columns, shown:
    function = stage(function)
    for rows in ROWS * 2:
        print(attempt(function, [list(row) for row in rows]))
product = stage(product)
for n in range(1, 6):
    print(product([[i + j for j in range(n)] for i in range(3)], [[i * 0.5 - j for j in range(4)] for i in range(n)]))
for function in unzipped, unzipped_in_loop:
    function = stage(function)
    for n in (5, 1, 0, 9, 3):
        print(attempt(function, PAIRS, n))
changed = stage(changed)
for n in (2, 5, 1, 3):
    print(attempt(changed, [[1, 2, 3], [4, 5, 6], [7, 8, 9]], n))
for function in kept, asked, more, errors, leaves, stored, choose:
    function = stage(function)
    for n in (3, 2, 9, 0, 4, 3):
        print(attempt(function, [1, 2, 0, 5, 3], n))
iterators = stage(iterators)
for n in (3, 9, 0):
    made = iterators([1, 2, 0, 5, 3], n)
    print(type(made).__name__, list(made))


@stage
def passed_on(items, n):
    fixed = tuple([item for item in items if item < n])
    made = iter(fixed)
    if n > 3:
        next(made)
    return made


@stage
def zipped(items, n):
    return zip(tuple([item for item in items if item < n]), items)


for n in (3, 9, 4):
    made = passed_on([1, 2, 0, 5, 3], n)
    print(type(made).__name__, list(made), list(zipped([1, 2, 0], n)))
