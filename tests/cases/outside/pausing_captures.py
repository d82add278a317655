# A capture gives way to signals and other threads now and then; what it has changed meanwhile is put aside, and put away
# where it does not go on. Here it gives way all the time, in functions that stay functions of the compiled code, too.
from snekpy import stage

try:
    from snekpy import _pause_every
except ImportError:
    # Nothing pauses where nothing is captured.
    def _pause_every(instructions):
        pass


LOG, TABLE, MEMBERS = [3, 1, 2], {1: 1, 4: 2}, {1, 2}


class Box:
    def __init__(self, n):
        self.n = n


BOX = Box(1)


def down(n, q):
    if n <= 0:
        return []
    return down(n - 1, q) + [q * n]


def changes(n, rows):
    own = []
    for row in rows:
        row[0] = row[0] * n % 1511
        own.append([n, row[0]])
    LOG[-1] ^= n % 5
    LOG.insert(0, n + 1)
    TABLE[n] = n * 2
    MEMBERS.add(n)
    BOX.n += n
    if n > 3:
        LOG.append(n)
    return own, down(n % 9, 0.5), down(len(LOG) % 4, n)


def raises(n):
    LOG.append(n)
    try:
        return down(n, 1)[n]
    except IndexError:
        LOG.append(-1)
        return None


def state():
    return LOG, TABLE, sorted(MEMBERS), BOX.n


for every in (0, 997, 61, 16, 3, 1):
    _pause_every(every)
    staged, failing = stage(changes), stage(raises)
    for n in (2, 7, True, 30):
        del LOG[6:]
        print(staged(n, [[n], [1, 2]]), state())
        print(failing(n), state())
_pause_every(0)
