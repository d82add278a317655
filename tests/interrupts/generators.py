# A poll inside a generator: its frame, those of who asks it, and all that they have done are there.
#@ change trail.append("changed")
def counting(n, trail):
    t = 0
    while t < n:
        t += 1
        while t % 3:
            t += 1
            trail[0] += t
        yield t


def doubled(n, trail):
    for t in counting(n, trail):
        k = 0
        while k < n % 7:
            t += k
            k += 1
        trail[1] = t
        yield 2 * t


def asks(n, trail):
    total = 0
    try:
        for t in doubled(n, trail):
            total += t
            trail[2] = total
    except Late:
        trail.append("late")
    return total, sum(i * i for i in range(n))


trail = [0, 0, 0]
staged = stage(asks)
interrupted(POLLS, CHANGE, lambda: staged(12, trail), "trail")
interrupted(POLLS, CHANGE, lambda: staged(20, trail), "trail")
