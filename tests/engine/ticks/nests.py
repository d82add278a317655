# Loops with break, continue and else in one another; recursion with handlers round it; what is raised on the way.
LOG = []


class Wrong(Exception):
    def __init__(self, at):
        super().__init__(at)
        self.at = at
        for _ in range(2):
            LOG.append(at)


def search(n, wanted):
    for i in range(n):
        for j in range(i):
            if i * j == wanted:
                break
        else:
            continue
        return i, j
    raise Wrong(wanted)


@stage
def find(n, wanted):
    try:
        return search(n, wanted)
    except Wrong as wrong:
        LOG.append(-wrong.at)
        return wrong.at


@stage
def down(n):
    if n < 0:
        raise Wrong(n)
    for _ in range(2):
        LOG.append(n)
    return down(n - 1) + 1


@stage
def grows(n):
    items = []
    for i in range(n):
        items.append(i * i)
        if len(items) > 3:
            items.pop(0)
    total = 0
    for item in items:
        total += item
    return total, [x for x in items if x % 2], {x: x + 1 for x in items}


@stage
def steps(n):
    def inner(k):
        nonlocal count
        count += 1
        return k > 0 and inner(k - 1)

    count = 0
    while count < n:
        inner(2)
    return count


def main():
    LOG.clear()
    out = [find(4, 6), find(3, 100), grows(6), steps(5)]
    try:
        down(2)
    except Wrong as wrong:
        out.append(wrong.at)
    return out, LOG
