# L08, M18: functions of the host are called at run time, at every call, in order.
import itertools
import json
import math
import re

from support import run, show
from snekpy import stage

ids = itertools.count(100)
log = []


def numbered(x):
    first = next(ids)
    if x > 0:
        return first, next(ids), x
    return first


def math_functions(x):
    return math.sqrt(x) if x > 0 else math.floor(x), math.gcd(12, 8), round(math.sin(0) + x, 3)


def texts(x):
    return json.dumps({"x": x}), re.sub("[0-9]", "#", str(x)), "{:>5}".format(x)


def in_a_loop(n):
    for i in range(n):
        log.append(next(ids) + i)
    return len(log), sum(log[-2:])


def from_a_list(x):
    return HOST[0](x)


def callback(x):
    return sorted((3, 1, 2), key=lambda v: v * x), list(map(lambda v: v + x, [1, 2])), max([1, -5], key=abs) * x


staged = stage(numbered)
run(numbered, staged, (1, 0, 0.5, -1, 1))
show(math_functions, 4, -1.5, 2.25)
show(texts, 12, 0.5, True)
show(in_a_loop, 2, 0, 1)
print(log)
HOST = [abs]
staged = stage(from_a_list)
run(from_a_list, staged, (-2, -0.5))
HOST[0] = str
run(from_a_list, staged, (-2, -0.5))
HOST[0] = lambda x: (x, next(ids))
run(from_a_list, staged, (-2, -0.5))
show(callback, 1, -1, 0.5)
