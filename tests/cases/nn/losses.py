"""Losses against loops over floats, and their gradients against differences."""
#@ reference snekpy: CPython has no `snekpy.nn`
import math

import snekpy.numpy as np
from snekpy import grad, nn, random, stage

logits = random.normal(random.key(1), (4, 3), "float64") * 3
targets = np.array([0, 2, 1, 2])
rows, wanted = logits.tolist(), targets.tolist()


def logs(row):
    whole = max(row) + math.log(sum(math.exp(v - max(row)) for v in row))
    return [v - whole for v in row]


def slope_by_differences(f, x, step=1e-6):
    found = []
    flat = x.reshape(-1)
    for at in range(x.size):
        before = float(flat[at])
        flat[at] = before + step
        up = float(f(x))
        flat[at] = before - step
        down = float(f(x))
        flat[at] = before
        found.append((up - down) / (2 * step))
    return found


def check(name, f, x, losses, counts=None):
    """`f(x, reduction)`, against a list of losses; `counts` is what they are divided by for the mean."""
    total = sum(counts) if counts else len(losses)
    found = {how: f(x, how) for how in ("none", "sum", "mean")}
    assert all(abs(a - b) < 1e-12 for a, b in zip(found["none"].reshape(-1).tolist(), losses)), (name, found["none"], losses)
    assert abs(float(found["sum"]) - sum(losses)) < 1e-12, name
    assert abs(float(found["mean"]) - sum(losses) / total) < 1e-12, name
    of = lambda x: f(x, "mean")
    slope = grad(of)(x)
    assert slope.tolist() == stage(lambda x: grad(of)(x))(x).tolist(), name
    off = max(abs(a - b) for a, b in zip(slope.reshape(-1).tolist(), slope_by_differences(of, x)))
    assert off < 1e-7, (name, off)
    assert float(stage(of)(x)) == float(found["mean"]), name
    print(name, round(float(found["mean"]), 9), round(float(found["sum"]), 9))


check("cross_entropy", lambda x, how: nn.cross_entropy(x, targets, reduction=how), logits, [-logs(r)[t] for r, t in zip(rows, wanted)])
weight = np.array([0.5, 2.0, 1.0])
counts = [weight.tolist()[t] for t in wanted]
losses = [-logs(r)[t] * c for r, t, c in zip(rows, wanted, counts)]
check("weighted", lambda x, how: nn.cross_entropy(x, targets, weight, reduction=how), logits, losses, counts)
some = np.array([0, -100, 1, -100])
losses = [-logs(r)[t] if t >= 0 else 0.0 for r, t in zip(rows, some.tolist())]
check("ignored", lambda x, how: nn.cross_entropy(x, some, reduction=how), logits, losses, [1, 1])
check("ignored by number", lambda x, how: nn.cross_entropy(x, targets, ignore_index=2, reduction=how), logits, [
    -logs(r)[t] if t != 2 else 0.0 for r, t in zip(rows, wanted)
], [1, 1])
losses = [-0.9 * logs(r)[t] - 0.1 * sum(logs(r)) / 3 for r, t in zip(rows, wanted)]
check("smoothed", lambda x, how: nn.cross_entropy(x, targets, reduction=how, label_smoothing=0.1), logits, losses)
shares = nn.softmax(random.normal(random.key(2), (4, 3), "float64"))
losses = [-sum(s * v for s, v in zip(share, logs(r))) for r, share in zip(rows, shares.tolist())]
check("shares", lambda x, how: nn.cross_entropy(x, shares, reduction=how), logits, losses)
one_hot = nn.one_hot(targets, 3, "float64")
a = nn.cross_entropy(logits, one_hot, reduction="none", label_smoothing=0.2)
b = nn.cross_entropy(logits, targets, reduction="none", label_smoothing=0.2)
assert float(np.abs(a - b).max()) < 1e-12
check("nll_loss", lambda x, how: nn.nll_loss(x, targets, reduction=how), logits, [-r[t] for r, t in zip(rows, wanted)])
deep = random.normal(random.key(3), (2, 5, 3), "float64")
places = np.array([[0, 1, 2, 2, 0], [1, 1, 0, 2, 2]])
first, last = nn.cross_entropy(deep.transpose(0, 2, 1), places, axis=1), nn.cross_entropy(deep, places)
assert abs(float(first) - float(last)) < 1e-15
print(round(float(last), 9))

x = random.normal(random.key(4), (3, 2), "float64") * 2
y = random.normal(random.key(5), (3, 2), "float64")
pairs = list(zip(x.reshape(-1).tolist(), y.reshape(-1).tolist()))
check("mse_loss", lambda x, how: nn.mse_loss(x, y, how), x, [(a - b) ** 2 for a, b in pairs])
check("l1_loss", lambda x, how: nn.l1_loss(x, y, how), x, [abs(a - b) for a, b in pairs])
huber = lambda d, delta: 0.5 * d * d if d <= delta else delta * (d - 0.5 * delta)
check("huber_loss", lambda x, how: nn.huber_loss(x, y, how, 0.8), x, [huber(abs(a - b), 0.8) for a, b in pairs])
check("smooth_l1_loss", lambda x, how: nn.smooth_l1_loss(x, y, how, 0.8), x, [huber(abs(a - b), 0.8) / 0.8 for a, b in pairs])
t = nn.sigmoid(y)
squash = lambda v: 1 / (1 + math.exp(-v))
losses = [-(squash(b) * math.log(squash(a)) + (1 - squash(b)) * math.log(1 - squash(a))) for a, b in pairs]
check("with logits", lambda x, how: nn.binary_cross_entropy_with_logits(x, t, reduction=how), x, losses)
check("binary", lambda x, how: nn.binary_cross_entropy(nn.sigmoid(x), t, reduction=how), x, losses)
losses = [-(3 * squash(b) * math.log(squash(a)) + (1 - squash(b)) * math.log(1 - squash(a))) for a, b in pairs]
check("pos_weight", lambda x, how: nn.binary_cross_entropy_with_logits(x, t, reduction=how, pos_weight=3.0), x, losses)
print(nn.binary_cross_entropy_with_logits(np.array([-1000.0, 1000.0]), np.array([0.0, 0.0])))
print(nn.binary_cross_entropy(np.array([0.0, 1.0]), np.array([0.0, 0.0]), reduction="none"))
losses = [squash(b) * (math.log(squash(b)) - a) for a, b in pairs]
check("kl_div", lambda x, how: nn.kl_div(x, t, how), x, losses)
check("kl_div of logs", lambda x, how: nn.kl_div(x, np.log(t), how, log_target=True), x, losses)
print(round(float(nn.kl_div(x, t, "batchmean")) * 3 - sum(losses), 9), nn.kl_div(np.zeros(2), np.array([0.0, 1.0])))
var = np.abs(y) + 0.1
losses = [0.5 * (math.log(abs(b) + 0.1) + (a - b) ** 2 / (abs(b) + 0.1)) for a, b in pairs]
check("gaussian_nll_loss", lambda x, how: nn.gaussian_nll_loss(x, y, var, reduction=how), x, losses)
signs = np.where(y > 0, 1.0, -1.0)
losses = [a if b > 0 else max(0.0, 1.0 - a) for a, b in pairs]
check("hinge_embedding_loss", lambda x, how: nn.hinge_embedding_loss(x, signs, reduction=how), x, losses)
losses = [max(0.0, 0.5 - (1 if b > 0 else -1) * (a - b)) for a, b in pairs]
check("margin_ranking_loss", lambda x, how: nn.margin_ranking_loss(x, y, signs, 0.5, reduction=how), x, losses)

for call in (
    lambda: nn.cross_entropy(logits, np.array([0, 1])),
    lambda: nn.cross_entropy(logits, np.ones((4, 2))),
    lambda: nn.cross_entropy(logits, np.array([0, 1, 2, 3])),
    lambda: nn.nll_loss(logits, np.ones(4)),
    lambda: nn.mse_loss(np.ones((3, 1)), np.ones(3)),
    lambda: nn.l1_loss(np.ones(3), np.ones(3), "average"),
):
    said = []
    for run in (call, stage(call)):
        try:
            said.append(run())
        except (TypeError, ValueError, IndexError) as error:
            said.append((type(error).__name__, str(error)))
    assert said[0] == said[1], said
    print(*said[0])
