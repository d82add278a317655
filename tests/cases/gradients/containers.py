# Lists, tuples, dicts and objects of floats: as arguments, and made inside. A gradient has the shape of its argument.
import math
from dataclasses import dataclass

from snekpy import grad, value_and_grad
from support import rounded


def norm(xs):
    total = 0.0
    for x in xs:
        total = total + x * x
    return math.sqrt(total)


for n in (1, 2, 3, 4, 5, 6, 9):
    print(rounded(grad(norm)([i + 0.5 for i in range(n)])))


def made(x, n):
    items = []
    for i in range(n):
        items.append(x * i)
    total = 0.0
    while items:
        total = total * 0.5 + math.sin(items.pop())
    return total


print(rounded([grad(made)(0.3, n) for n in (0, 1, 7, 30)]))


def replaced(x, n):
    cells = [0.0] * n
    cells[0] = x
    for i in range(1, n):
        cells[i] = cells[i - 1] * x + i
        if i % 3 == 0:
            cells[i - 1] = 0.25
    return sum(cells)


print(rounded([grad(replaced)(0.9, n) for n in (1, 5, 20)]))


def edited(xs, x):
    xs.insert(1, x * xs[0])
    y = xs.pop(0)
    xs.append(y * xs[0])
    return xs[-1] * xs[1] + y


print(rounded(grad(edited, argnums=(0, 1))([1.5, 2.5, 0.5], 0.7)))


@dataclass
class Layer:
    weight: float
    bias: float
    name: str = "layer"


class Model:
    def __init__(self, first, second):
        self.first, self.second = first, second

    def loss(self, x):
        h = math.tanh(self.first.weight * x + self.first.bias)
        return (self.second.weight * h + self.second.bias) ** 2


def loss(model, x):
    return model.loss(x)


model = Model(Layer(0.5, -0.2), Layer(1.5, 0.3, "out"))
value, found = value_and_grad(loss, argnums=(0, 1))(model, 0.7)
print(rounded(value), type(found[0]).__name__, rounded(vars(found[0].first)), rounded(vars(found[0].second)), rounded(found[1]))
print(rounded(grad(model.loss)(0.7)))


def affine(params, x):
    (a, b), rest = params["w"], params["rest"]
    return a * x + b * x * x + rest[0] * rest[1]["c"]


print(rounded(grad(affine)({"w": (1.0, 2.0), "rest": [3.0, {"c": 4.0}]}, 0.5)))


def many(*xs, scale):
    return xs[0] * xs[1] * scale



