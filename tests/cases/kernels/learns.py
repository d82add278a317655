# A net of examples/digits_net.py learns on a device what it learns on the CPU, and copies nothing unasked.
#@ reference snekpy: CPython has no devices
import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples"))
import digits_net as net
import snekpy
import snekpy.numpy as np
from snekpy import random, stage

warnings.simplefilter("error", snekpy.ImplicitCopyWarning)
images, digits = net.load()
images, digits = images[:40, ::7], digits[:40]


def curve(device, gradients):
    keys = random.split(random.key(7))
    parameters = [random.normal(keys[0], (112, 12)) * 0.1, np.zeros(12, dtype="float32")]
    parameters += [random.normal(keys[1], (12, 10)) * 0.3, np.zeros(10, dtype="float32")]
    parameters = [it.to(device) for it in parameters]
    x, y = images.to(device), digits.to(device)
    losses = []
    for at in list(range(0, 40, 10)) * 3:
        loss, derivatives = gradients(parameters, x[at : at + 10], y[at : at + 10])
        for parameter, derivative in zip(parameters, derivatives):
            parameter -= 0.1 * derivative
        losses.append(loss.to("cpu"))
    return np.stack(losses), [it.to("cpu") for it in parameters]


losses, learnt = curve("cpu", net.gradients)
print(bool(losses[0] > 1.05 * losses[-1]))
for gradients in (net.gradients, stage(net.gradients, strict=True)):
    there = curve("simt", gradients)
    print(float(abs(there[0] - losses).max()) < 1e-6, all(float(abs(a - b).max()) < 1e-7 for a, b in zip(there[1], learnt)))
