# Terra, figure 1: what static compilation cannot deal with. Numbers stand for the tensors.
import json
import random

from snekpy import stage


# (a) A call of a library, and one that wants the value of the loss.
logged = []


def library_call1():
    return json.loads("[0.25, 0.5]")


def library_call2(loss):
    logged.append(f"{loss:.3f}")


def model(x, y):
    total = 0.0
    for weight in y:
        total += weight * x
    return total


@stage
def train_step_a(x):
    y = library_call1()
    loss = model(x, y)
    library_call2(loss)
    return loss


print([train_step_a(x) for x in (1.0, 2.0, 3.0)], logged)


# (b) A generator of as many items as are asked for, with new random numbers at each call.
def generator(n):
    for _ in range(n):
        yield random.random()


@stage
def train_step_b(x, n):
    for y in generator(n):
        x = x + y
    return x


random.seed(7)
staged = [train_step_b(1.0, n) for n in (3, 3, 0, 5)]
random.seed(7)
plain = [sum((random.random() for _ in range(n)), 1.0) for n in (3, 3, 0, 5)]
print([abs(a - b) < 1e-12 for a, b in zip(staged, plain)], staged[0] != staged[1])


# (c) An object that a step changes: AutoGraph goes on with the probability of the first trace.
class Dropper:
    pass


dr = Dropper()
dr.drop_prob = 0.0


def dropout(x, rate):
    return x * (1.0 - rate)


@stage
def train_step_c(step, x):
    if step > 100:
        dr.drop_prob = 0.8
    return dropout(x, dr.drop_prob)


print([round(train_step_c(step, 10.0), 3) for step in (1, 100, 101, 5)], dr.drop_prob)
