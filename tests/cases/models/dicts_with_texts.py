# Models that are dicts with arrays and texts in them, another one at each call.
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import grad, stage, value_and_grad


def made(n, name="net", kind="tanh"):
    w = np.arange(4.0).reshape(2, 2) * 0.1 * (n + 1)
    return {"name": name, "w": w, "layer": {"kind": kind, "b": np.ones(2) * n}, "steps": 0, "note": None}


def activated(model, x):
    y = x @ model["w"] + model["layer"]["b"]
    return np.tanh(y) if model["layer"]["kind"] == "tanh" else np.maximum(y, 0.0)


def loss_of(model, x):
    return (activated(model, x) ** 2).sum()


@stage
def forward(model, x):
    return loss_of(model, x) + len(model["name"])


@stage
def train(model, x, rounds):
    total = 0.0
    for _ in range(rounds):
        loss, grads = value_and_grad(loss_of)(model, x)
        model["w"] = model["w"] - 0.1 * grads["w"]
        model["layer"]["b"] -= 0.1 * grads["layer"]["b"]
        model["steps"] += 1
        total += loss
    return total


@stage
def renamed(model, name):
    model["name"] = name + "!"
    return {"name": model["name"], "sum": model["w"].sum()}


X = np.array([[0.5, -1.0], [2.0, 0.25], [1.0, 1.0]])
for n in range(6):
    model = made(n % 3, "net" if n < 4 else "other", "relu" if n == 5 else "tanh")
    print(n, round(float(forward(model, X)), 9), end=" ")
    print(round(float(train(model, X, 3)), 9), model["steps"], model["name"], round(float(model["w"].sum()), 9), end=" ")
    print({k: round(float(v), 9) if k == "sum" else v for k, v in renamed(model, "n" + str(n % 2)).items()}, model["name"])
    print(sorted(grad(loss_of)(model, X)), grad(loss_of)(model, X)["name"])
