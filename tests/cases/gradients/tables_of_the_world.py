"""Derivatives of functions that read and change tables of the world."""

from snekpy import grad, jvp, stage, value_and_grad
X = [0.01 * i for i in range(500)]
Y = [3.0 * x + 1.0 for x in X]
G = [[0.1 * i + j for j in range(30)] for i in range(30)]
T = {i: i * 0.5 for i in range(100)}
W = [0.0] * 300


def loss(w, b):
    t = 0.0
    for i in range(len(X)):
        r = w * X[i] + b - Y[i]
        t += r * r
    return t / len(X)


def loss2(w, n):
    t = 0.0
    for i in range(n):
        t += w * G[i % 30][i % 7] * T[i % 100]
    return t


def loss3(w, n):
    for i in range(n):
        W[i] = w * i
    t = 0.0
    for i in range(n):
        t += W[i] * W[i]
    return t


g = grad(loss, argnums=(0, 1))
print(g(1.0, 0.0), value_and_grad(loss)(2.0, 1.0), jvp(loss, (1.0, 0.0), (1.0, 0.5)))
print(grad(loss2)(2.0, 1000), grad(loss3)(2.0, 100), W[:4])
X[3] = 5.0
G[2][1] = -4.0
T[5] = 9.0
print(g(1.0, 0.0), grad(loss2)(2.0, 1000))


@stage
def train(n):
    w = b = 0.0
    for k in range(n):
        dw, db = g(w, b)
        w -= 0.05 * dw
        b -= 0.05 * db
    return w, b


print(train(20), train(3))
