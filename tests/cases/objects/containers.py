# Lists, dicts and sets of anything that a call makes and that grow.
from snekpy import stage


@stage
def pairs(n):
    out = []
    for i in range(n):
        out.append((i, "odd" if i % 2 else "even", i * 0.5))
    s = 0.0
    for a, name, b in out:
        if name == "odd":
            s += a * b
    return s, out[-1], len(out)


print(pairs(4), pairs(400))


@stage
def nested(n):
    rows = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append(i * j)
        rows.append(row)
    t = 0
    for row in rows:
        for x in row:
            t += x
    rows[0][0] = 5
    return t, rows[0][0], rows[n - 1][n - 1], len(rows)


print(nested(3), nested(30))


@stage
def groups(n):
    d = {}
    for i in range(n):
        key = "k%d" % (i % 5)
        if key in d:
            d[key].append(i)
        else:
            d[key] = [i]
    return sorted(d.items()), len(d)


print(groups(7), groups(40))


@stage
def stack(n):
    todo = [("start", n)]
    seen = set()
    steps = 0
    while todo:
        name, k = todo.pop()
        steps += 1
        seen.add(name)
        if k > 0:
            todo.append((name + "l", k - 1))
            if k % 2:
                todo.append(("r", k - 2))
    return steps, len(seen)


print(stack(2), stack(9))


@stage
def same(n):
    a = []
    b = a
    for i in range(n):
        b.append("x")
        a.append(b is a)
    return a is b, len(a), a[0], a[1], a == b


print(same(2), same(40))


@stage
def errors(n):
    seen = []
    for i in range(n):
        try:
            if i % 4 == 3:
                seen.pop(100)
            seen.append("v%d" % i)
            if i % 4 == 2:
                seen.index("nothing")
        except (IndexError, ValueError) as e:
            seen.append(type(e).__name__)
    return len(seen), seen[:6]


print(errors(4), errors(40))


@stage
def nans(x, n):
    out = []
    for i in range(n):
        out.append((x, "a"))
        out.append("b")
    return out[0][0] != out[0][0], len(out), out[0] == out[2]


print(nans(1.0, 5), nans(float("nan"), 5))


@stage
def identity(x, n):
    out = []
    for i in range(n):
        out.append("t")
        out.append(x)
    return out[1] is x, out[0] is out[2]


print(identity(1.5, 3), identity(2.5, 20), identity(10**6, 20))
