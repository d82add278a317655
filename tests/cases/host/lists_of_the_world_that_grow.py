# Lists outside that staged code only appends to: what is in them does not matter, and nothing is compiled again.
from snekpy import stage

LOG = []
MIXED = [1, "a"]


class Model:
    def __init__(self):
        self.history = []


model = Model()


def log(x):
    LOG.append(x * 2)
    LOG.append((x, str(x)))
    return x + 1


def remember(x):
    model.history.append(x)
    if x > 5:
        model.history.extend([x, -x])
        raise ValueError(x)
    return len(str(x))


def both(x):
    LOG.append(x)
    before = len(LOG)
    LOG.append(before)
    return before, LOG[-2]


def read_first(x):
    if LOG:
        LOG.append(LOG[0])
    LOG.append(x)
    return x


def other_name(x):
    again = LOG
    LOG.append(x)
    again.append(x + 1)
    return again is LOG, again[-1]


def method(x):
    add = LOG.append
    add(x)
    add(x + 1)
    return [add.__self__ is LOG, len(LOG)]


def looped(n, x):
    for i in range(n):
        LOG.append(i)
        x += i
    return x


def itself(x):
    LOG.append(LOG)
    return LOG[-1] is LOG


def in_arms(x):
    if x > 0:
        LOG.append(x)
    elif x < 0:
        MIXED.extend((x, -x))
    LOG.append(0)
    return x


def attempt(f, *args):
    try:
        return f(*args)
    except Exception as error:
        return repr(error)


def run(f, *calls):
    staged = stage(f)
    for call in calls:
        print(f.__name__, call, attempt(staged, *call), LOG[-4:], len(LOG), MIXED[-3:], model.history[-3:])
    return staged


staged = run(log, (1,), (2,), (3,), (2**40,))
for i in range(100):
    staged(i)
print(len(LOG))
staged = stage(remember)
for i in range(30):
    attempt(staged, i % 7)
print(len(model.history), model.history[-4:])
run(both, (1,), (2,))
LOG.clear()
run(read_first, (1,), (2,), (3,))
run(other_name, (1,), (2,))
run(method, (5,), (6,))
run(looped, (3, 1), (0, 1), (20, 0.5))
run(in_arms, (1,), (-1,), (0,), (-2.5,), (2.5,))
LOG.clear()
run(in_arms, (1,), (-1,))
print(attempt(stage(itself), 1), len(LOG))
LOG = [7]
print(staged is not None, stage(both)(3), LOG)
