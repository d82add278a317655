# Functions with a derivative of their own: custom_vjp, custom_jvp and checkpoint, staged and plain, floats and arrays.
#@ reference snekpy: differences know of no rules
import math
from functools import partial

import snekpy.numpy as np
from snekpy import (
    StagingError, checkpoint, custom_jvp, custom_vjp, grad, hessian, jacfwd, jacrev, jvp, stage, value_and_grad, vjp,
)


@custom_vjp
def f(x, y):
    return math.sin(x) * y


def f_fwd(x, y):
    return f(x, y), (math.cos(x), math.sin(x), y)


def f_bwd(residuals, g):
    cos, sin, y = residuals
    return cos * g * y, sin * g


f.defvjp(f_fwd, f_bwd)
print(f, f.__name__, f(2.0, 3.0), stage(lambda x: f(x, 3.0))(2.0))
print(grad(f, argnums=(0, 1))(2.0, 3.0) == (math.cos(2.0) * 3.0, math.sin(2.0)))
print(grad(lambda x: f(x, x) * f(x, y=2.0))(2.0), grad(lambda x: f(x=x, y=2.0))(2.0))
print(grad(grad(f))(2.0, 3.0), -math.sin(2.0) * 3.0)
print(value_and_grad(stage(lambda x: f(x, x)))(1.0), grad(stage(f))(1.0, 2.0))


# A rule that is no derivative shows that it is used: once for each time something is differentiated.
@custom_vjp
def square(x):
    return x * x


square.defvjp(lambda x: (x * x, x), lambda x, g: (3.0 * x * g,))
print(square(2.0), grad(square)(2.0), grad(lambda x: square(x) ** 2)(2.0), grad(grad(square))(2.0))


@stage
def trained(x, n):
    for _ in range(n):
        x = x - 0.01 * grad(square)(x)
    return x


def descent(x, n):
    for _ in range(n):
        x = x - 0.01 * (3.0 * x)
    return x


print(trained(1.0, 40) == descent(1.0, 40))


# Clipping the gradient, in a loop of unknown count.
@custom_vjp
def clipped(x):
    return x


clipped.defvjp(lambda x: (x, None), lambda _, g: (max(-1.0, min(1.0, g)),))


def loop(x, n):
    while n > 0:
        x = clipped(x * 1.5)
        n -= 1
    return x * x


print(grad(loop)(2.0, 5), grad(loop)(0.001, 3), grad(loop)(2.0, 0))


def branch(x, n):
    total = 0.0
    for i in range(n):
        if x > 1.0:
            total += square(x) * i
            x = math.sin(x) + 0.5
        else:
            total -= f(x, total)
            x *= 1.7
    return total


print([round(it, 12) for it in grad(branch, argnums=(0,))(1.2, 9)])


def down(x, n):
    return x if n == 0 else down(square(x) * 0.4 + 0.1, n - 1)


print(round(grad(down)(0.9, 4), 12))


# None is zero; structures of arguments are structures of cotangents.
@custom_vjp
def mixed(p, n, name, xs):
    return p["w"] * xs[0] + p["b"] * xs[1][1] * n


mixed.defvjp(
    lambda p, n, name, xs: (mixed(p, n, name, xs), (p["w"], xs)),
    lambda r, g: ({"w": r[1][0] * g, "b": None}, None, None, [r[0] * g, (None, 7.0 * g)]),
)
print(grad(mixed)({"w": 2.0, "b": 3.0}, 4, "name", [5.0, (6.0, 7.0)]))
print(grad(mixed, argnums=3)({"w": 2.0, "b": 3.0}, 4, "name", [5.0, (6.0, 7.0)]))


@partial(custom_vjp, nondiff_argnums=(0, 2))
def applied(function, x, n):
    for _ in range(n):
        x = function(x)
    return x


applied.defvjp(lambda function, x, n: (applied(function, x, n), x), lambda function, n, x, g: (g * x * n,))
print(grad(lambda x: applied(math.sin, x, 3))(2.0))


class Model:
    def __init__(self, w):
        self.w = w

    @custom_vjp
    def out(self, x):
        return self.w * x


Model.out.defvjp(lambda self, x: (self.w * x, self.w), lambda w, g: (None, w * g * 10.0))
model = Model(3.0)
print(model.out(2.0), grad(model.out)(2.0), grad(lambda x: model.out(x) * x)(2.0))


# Several results.
@custom_vjp
def polar(x, y):
    return math.hypot(x, y), math.atan2(y, x)


def polar_bwd(residuals, g):
    (x, y), (gr, gt) = residuals, g
    r = math.hypot(x, y)
    return gr * x / r - gt * y / (r * r), gr * y / r + gt * x / (r * r)


polar.defvjp(lambda x, y: (polar(x, y), (x, y)), polar_bwd)
print(jacrev(lambda v: polar(v[0], v[1]))((3.0, 4.0)))
print(vjp(polar, 3.0, 4.0)[1]((1.0, 0.0)), grad(lambda x: polar(x, 4.0)[1])(3.0))


# Forwards.
@custom_jvp
def log1pexp(x):
    return math.log(1.0 + math.exp(x))


@log1pexp.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return log1pexp(x), (1.0 - 1.0 / (1.0 + math.exp(x))) * t


print(log1pexp(3.0), grad(log1pexp)(3.0), jvp(log1pexp, (3.0,), (2.0,)), grad(log1pexp)(100.0))
print(round(grad(grad(log1pexp))(3.0), 14), round(hessian(log1pexp)(3.0), 14), jacfwd(log1pexp)(3.0))


@custom_jvp
def product(x, y):
    return x * y


product.defjvps(lambda t, value, x, y: 100.0 * t * y, lambda t, value, x, y: t * x)
print(grad(product, argnums=(0, 1))(2.0, 3.0), jvp(product, (2.0, 3.0), (1.0, 1.0)))


@custom_jvp
def halfway(x, y):
    return x + y


halfway.defjvps(None, lambda t, value, x, y: 0.5 * t)
print(grad(halfway, argnums=(0, 1))(2.0, 3.0))


# Arrays.
@custom_vjp
def relu(x):
    return np.maximum(x, 0.0)


relu.defvjp(lambda x: (relu(x), x > 0.0), lambda positive, g: (np.where(positive, g, 0.1 * g),))


def layers(x, w, n):
    for _ in range(n):
        x = relu(x @ w)
    return (x * x).sum()


x, w = np.array([[1.0, -2.0], [0.5, 0.25]]), np.array([[0.5, -0.4], [0.3, 0.8]])


def by_hand(x, w, n):
    states = [x]
    for _ in range(n):
        states.append(np.maximum(states[-1] @ w, 0.0))
    g, gw = 2.0 * states[-1], np.zeros_like(w)
    for state in reversed(states[:-1]):
        g = np.where(state @ w > 0.0, g, 0.1 * g)
        gw += state.T @ g
        g = g @ w.T
    return g, gw


for n in (1, 3, 40):
    print(all(np.allclose(a, b, rtol=1e-12, atol=0.0) for a, b in zip(grad(layers, argnums=(0, 1))(x, w, n), by_hand(x, w, n))))
print(stage(lambda x: grad(lambda v: relu(v).sum())(x))(x))


@custom_jvp
def softplus(x):
    return np.log1p(np.exp(x))


softplus.defjvps(lambda t, value, x: t * (1.0 - np.exp(-value)))
print(np.round(grad(lambda v: softplus(v).sum())(x), 12))
print(np.round(jvp(softplus, (x,), (w,))[1], 12), np.round(grad(lambda v: (grad(lambda u: softplus(u).sum())(v) ** 2).sum())(x), 12))


# Checkpoints: the same bits, and less is recorded.
def layer(h, w):
    return np.tanh(h @ w) + np.sin(h)


def deep(wrap):
    def net(h, w, n):
        for _ in range(n):
            h = wrap(layer)(h, w)
        return (h * h).sum()

    return net


plain, light = deep(lambda it: it), deep(checkpoint)
for n in (2, 30):
    a, b = grad(plain, argnums=(0, 1))(x, w, n), grad(light, argnums=(0, 1))(x, w, n)
    print([(p == q).all() for p, q in zip(a, b)])
print(grad(plain).inspect("tape", x, w, 30).count("a value") > grad(light).inspect("tape", x, w, 30).count("a value"))


@checkpoint
def curve(x, k=2.0):
    return math.sin(x) * math.exp(x * k)


print(grad(lambda x: curve(x) * curve(x, k=3.0))(0.5) == grad(lambda x: curve.__wrapped__(x) * curve.__wrapped__(x, k=3.0))(0.5))
print(round(grad(grad(curve))(0.5), 12), round(grad(grad(curve.__wrapped__))(0.5), 12), jvp(curve, (0.5,), (1.0,)) == jvp(curve.__wrapped__, (0.5,), (1.0,)))
# What a checkpoint closes over is differentiated, too.
print(grad(lambda x: checkpoint(lambda y: math.sin(x * y))(2.0 * x))(0.3) == grad(lambda x: math.sin(x * (2.0 * x)))(0.3))
print(round(hessian(curve)(0.5), 12))


def outcome(name, call):
    try:
        print(name, call())
    except (ArithmeticError, AttributeError, TypeError, StagingError) as error:
        print(name, type(error).__name__, str(error).splitlines()[0])


def ruled(fwd, bwd):
    made = custom_vjp(lambda x, y: x * y)
    made.defvjp(fwd, bwd)
    return lambda x, y: made(x, y) * 1.0


there = lambda x, y: (x * y, None)
outcome("no rule", lambda: custom_vjp(lambda x: x)(1.0))
outcome("no rule", lambda: grad(custom_jvp(lambda x: x))(1.0))
outcome("other rule", lambda: custom_jvp(lambda x: x).defvjp(there, there))
outcome("no function", lambda: custom_vjp(3))
outcome("no function", lambda: custom_vjp(lambda x: x).defvjp(1, 2))
outcome("no pair", lambda: grad(ruled(lambda x, y: x * y, lambda r, g: (g, g)))(1.0, 2.0))
outcome("too few", lambda: grad(ruled(there, lambda r, g: (g,)))(1.0, 2.0))
outcome("no tuple", lambda: grad(ruled(there, lambda r, g: g))(1.0, 2.0))
outcome("int", lambda: grad(ruled(there, lambda r, g: (1, g)))(1.0, 2.0))
first, single = ruled(there, lambda r, g: (g[0], None)), ruled(there, lambda r, g: (g.astype(np.float32), None))
outcome("shape", lambda: grad(lambda x: first(x, 2.0).sum())(x))
outcome("dtype", lambda: grad(lambda x: single(x, 2.0).sum())(x))
outcome("in staged code", lambda: stage(lambda x: 1.0 if x < 0.0 else grad(lambda x: first(x, 2.0).sum())(x))(-1.0))
outcome("forwards", lambda: jvp(f, (1.0, 2.0), (1.0, 0.0)))
outcome("forwards", lambda: jacfwd(lambda x: f(x, x))(1.0))
outcome("raised", lambda: grad(ruled(there, lambda r, g: (g / 0 if g else g, g)))(1.0, 2.0))


log = []


@checkpoint
def prints(x):
    log.append(1)
    return x * x


outcome("effects", lambda: grad(prints)(2.0))
outcome("not differentiated", lambda: (prints(2.0), log))


# What nested gradients record is told by the gradient around them.
def wave(x, n):
    while n > 0:
        x = math.sin(x * 1.5)
        n -= 1
    return x * x


slope = grad(wave)


@stage
def around(x, n):
    return slope(x, n)


print(around(2.0, 5) == slope(2.0, 5))
inner, outer = (f.inspect("tape", 2.0, 5).count("a value") for f in (slope, grad(lambda x, n: slope(x, n) * x)))
print(inner > 0, outer > inner)
