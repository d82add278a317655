"""Whole trainings, staged and not: a multilayer perceptron as in the guide, dropout by keys, batch norm, a convolutional net."""
#@ reference snekpy: CPython has no `snekpy.nn`
import snekpy.numpy as np
from snekpy import nn, optim, random, stage, value_and_grad

k1, k2, k3, k4 = random.split(random.key(0), 4)
images = random.normal(k3, (96, 12))
labels = np.argmax(images @ random.normal(k4, (12, 4)), axis=1)


def cross_entropy(model, x, y, key):
    return nn.cross_entropy(model(x, training=True, key=key), y)


def train(model, opt, images, labels, epochs, key):
    for epoch in range(epochs):
        loss = 0.0
        for start in range(0, len(images), 32):
            x, y = images[start : start + 32], labels[start : start + 32]
            step = random.fold_in(key, epoch * len(images) + start)
            loss, grads = value_and_grad(cross_entropy)(model, x, y, step)
            opt.update(model, grads)
        print(f"epoch {epoch}: loss {loss:.4f}")


def right(model, images, labels):
    return (np.argmax(model(images), axis=1) == labels).mean()


def perceptron():
    return nn.Sequential(nn.Linear(12, 16, key=k1), nn.relu, nn.Linear(16, 4, key=k2))


def with_dropout():
    return nn.Sequential(nn.Linear(12, 16, key=k1), nn.gelu, nn.Dropout(0.25), nn.Linear(16, 4, key=k2))


def with_norm():
    return nn.Sequential(nn.Linear(12, 16, key=k1), nn.BatchNorm(16), nn.relu, nn.Linear(16, 4, key=k2))


def as_image(x):
    return x.reshape(len(x), 1, 2, 6)


def convolutional():
    features = nn.Sequential(nn.Conv2d(1, 4, 3, padding="same", key=k1), nn.relu, nn.MaxPool2d((1, 2)))
    return nn.Sequential(as_image, features, nn.Flatten(), nn.Linear(24, 4, key=k2))


def train_with_buffers(model, opt, images, labels, epochs, key):
    """A batch norm assigns its running statistics: in a staged loop that is for `nn.value_and_grad`."""
    for epoch in range(epochs):
        loss = 0.0
        for start in range(0, len(images), 32):
            x, y = images[start : start + 32], labels[start : start + 32]
            loss, grads = nn.value_and_grad(cross_entropy)(model, x, y, key)
            opt.update(model, grads)
        print(f"epoch {epoch}: loss {loss:.4f}")


for make, rate, epochs in ((perceptron, 1e-2, 4), (with_dropout, 1e-2, 3), (with_norm, 3e-2, 3), (convolutional, 3e-2, 3)):
    print(make.__name__)
    found = []
    how = train_with_buffers if make is with_norm else train
    for run in (how, stage(how)):
        model = make()
        opt = optim.Adam(model, rate)
        run(model, opt, images, labels, epochs, k3)
        found.append([it.tolist() for it in nn.state([model, opt]).values()])
        print(float(right(model, images, labels)), float(stage(right)(model, images, labels)), opt.count)
    assert found[0] == found[1], make.__name__
    print(list(nn.parameters(model)), list(nn.buffers(model)))

# Trained, the batch's own statistics; the running ones go on, and are no parameters.
norm = nn.BatchNorm(3, momentum=0.25, dtype="float64")
x = np.arange(12.0).reshape(4, 3) ** 1.5
columns = [[float(v) for v in x[:, c]] for c in range(3)]


def of_norm(norm, x):
    return (norm(x, training=True) * np.arange(12.0).reshape(4, 3)).sum()


def trained(norm, x):
    return value_and_grad(of_norm)(norm, x)


for run in (trained, stage(trained), trained):
    wanted = []
    for c, column in enumerate(columns):
        mean = sum(column) / 4
        var = sum((v - mean) ** 2 for v in column)
        wanted.append((0.75 * float(norm.running_mean[c]) + 0.25 * mean, 0.75 * float(norm.running_var[c]) + 0.25 * var / 3))
    value, grads = run(norm, x)
    got = list(zip(norm.running_mean.tolist(), norm.running_var.tolist()))
    assert all(abs(a - b) < 1e-12 for one, other in zip(got, wanted) for a, b in zip(one, other)), (got, wanted)
    print(round(float(value), 9), norm.running_mean.round(6).tolist(), grads.running_mean.tolist(), grads.weight.round(6).tolist())


# `nn.value_and_grad` gives the same, with what else the loss gives, and writes into the arrays that are there.
def with_output(norm, x):
    y = norm(x, training=True)
    return (y * np.arange(12.0).reshape(4, 3)).sum(), y


for run in (lambda norm, x: nn.value_and_grad(with_output, has_aux=True)(norm, x), None):
    run = run or stage(lambda norm, x: nn.value_and_grad(with_output, has_aux=True)(norm, x))
    one, other = nn.BatchNorm(3, dtype="float64"), nn.BatchNorm(3, dtype="float64")
    array = one.running_mean
    (value, y), grads = run(one, x)
    wanted, slopes = trained(other, x)
    assert float(value) == float(wanted) and (grads.weight == slopes.weight).all() and y.shape == x.shape
    assert (one.running_mean == other.running_mean).all() and (one.running_var == other.running_var).all()
    print(one.running_mean is array, one.running_var.round(6).tolist())
normed = norm(x, training=True)
print(normed.mean(axis=0).round(9) + 0.0, (normed * normed).mean(axis=0).round(4), nn.BatchNorm(3)(x[:, :, None]).shape)

# An image's channels are over all its places.
norm, other = nn.BatchNorm(2, dtype="float64"), nn.BatchNorm(2, dtype="float64")
image = random.normal(k1, (3, 2, 4, 5), "float64")
flat = image.transpose(0, 2, 3, 1).reshape(-1, 2)
a, b = norm(image, training=True), other(flat, training=True).reshape(3, 4, 5, 2).transpose(0, 3, 1, 2)
print(float(np.abs(a - b).max()) < 1e-12, norm.running_var.round(9).tolist() == other.running_var.round(9).tolist())
