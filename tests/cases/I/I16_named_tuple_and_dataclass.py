# I16: named tuples and dataclasses as state.
from collections import namedtuple
from dataclasses import dataclass, field, replace

from support import run, show
from snekpy import stage

Pair = namedtuple("Pair", "a b", defaults=(0,))


@dataclass
class State:
    x: float
    n: int = 0
    log: list = field(default_factory=list)

    def step(self, by):
        self.x += by
        self.n += 1
        return self


@dataclass(frozen=True, order=True)
class Point:
    x: float
    y: float


def replaced(x):
    pair = Pair(x, 1)
    if x > 0:
        pair = pair._replace(a=x + 1)
    a, b = pair
    return pair, pair.a, pair[1], a + b, Pair(x), pair == (x, 1)


def in_a_loop(n):
    pair = Pair(0, 1)
    while pair.a < n:
        pair = Pair(pair.a + 1, pair.b * 2)
    return pair


def replaced_in_a_loop(n):
    pair = Pair(0, 1)
    for i in range(n):
        if i % 2:
            pair = pair._replace(a=i)
        else:
            pair = pair._replace(b=i)
    return pair


def dataclass_in_a_loop(n, by):
    state = State(0.5)
    for i in range(n):
        state = state.step(by)
        if i == 1:
            state.log.append(i)
    return state, state == State(0.5), State(by).log


def frozen(x, y):
    p, q = Point(x, y), Point(1, 2)
    if p == q:
        return "equal"
    if p < q:
        return "less", replace(p, y=0)
    p.x = 0
    return "never"


def of_the_caller(by):
    SHARED.step(by)
    return SHARED.x, SHARED.n


show(replaced, 1, -1, 0, 0.5)
show(in_a_loop, 3, 0)
show(replaced_in_a_loop, 4, 1, 0)
show(dataclass_in_a_loop, (3, 1), (0, 1), (1, 0.25))
show(frozen, (1, 2), (1, 1), (0.5, 9), (2, 0))
SHARED = State(1)
staged = stage(of_the_caller)
run(of_the_caller, staged, (1, 0.5, 2))
SHARED = State(100, 7)
run(of_the_caller, staged, (1, 0.5))
print(SHARED)
