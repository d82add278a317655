"""The programs of training.py with JAX and PyTorch, as far as they are installed: lines of JSON.

    python3 benches/gpu/training_peers.py [jax] [torch]
"""

import json
import os
import sys

import timing

STEPS = 200
BATCHES = (64, 8192)
SCANS = ((64, 64), (128, 128))
SOLVERS = (256, 1024)
MLP = ((784, 50), (50,), (50, 10), (10,))


def numbers(np, *dims):
    size = 1
    for extent in dims:
        size *= extent
    i = np.arange(size)
    return ((i * 7919 % 10007).astype("float32") / 10007.0 - 0.5).reshape(*dims)


def rnn_of(np, length, batch):
    x, w, b = (numbers(np, *dims) for dims in ((length, batch, 64), (320, 256), (256,)))
    return x, (length // 2 + np.arange(batch) * 13 % (length // 2 + 1)).reshape(-1, 1).astype("int32"), w * 0.1, b


def solver_of(np, n):
    return np.eye(n, dtype="float32") + numbers(np, n, n) * (0.1 / n), numbers(np, n)


def with_jax():
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax
    import jax.numpy as jnp
    import numpy

    # Single precision is what snekpy computes in; JAX's own choice would be TF32.
    jax.config.update("jax_default_matmul_precision", "highest")
    wait = lambda out: jax.block_until_ready(out)

    def loss_of(parameters, x, y):
        w1, b1, w2, b2 = parameters
        logs = jax.nn.log_softmax(jax.nn.relu(x @ w1 + b1) @ w2 + b2)
        return -jnp.take_along_axis(logs, y[:, None], axis=1).mean()

    def step(parameters, velocities, x, y):
        loss, slopes = jax.value_and_grad(loss_of)(parameters, x, y)
        velocities = [0.5 * v + g for v, g in zip(velocities, slopes)]
        return [p - 0.01 * v for p, v in zip(parameters, velocities)], velocities, loss

    one = jax.jit(step)

    def by_steps(parameters, velocities, x, y):
        for _ in range(STEPS):
            parameters, velocities, loss = one(parameters, velocities, x, y)
        return loss

    @jax.jit
    def as_a_whole(parameters, velocities, x, y):
        def turn(_, state):
            return step(*state[:2], x, y)

        return jax.lax.fori_loop(0, STEPS, turn, (parameters, velocities, jnp.float32(0.0)))[2]

    @jax.jit
    def solve(a, b, x, tolerance):
        def step(state):
            x, r = state
            x = x + 0.01 * r
            return x, b - a @ x

        return jax.lax.while_loop(lambda state: (state[1] * state[1]).sum() > tolerance, step, (x, b - a @ x))[0]

    for n in SOLVERS:
        a, b = (jnp.asarray(it) for it in solver_of(numpy, n))
        call = lambda: solve(a, b, jnp.zeros(n, dtype="float32"), 1e-10 * n)
        name = f"solver, {n} unknowns, until a tolerance"
        timing.timed({"peer": "jax", "name": name, "check": float(call().sum())}, wait, call, 0, 0, 3)

    for batch in BATCHES:
        parameters = [jnp.asarray(numbers(numpy, *dims)) * 0.1 for dims in MLP]
        velocities = [jnp.zeros_like(p) for p in parameters]
        x, y = jnp.asarray(numbers(numpy, batch, 784)), jnp.arange(batch) * 31 % 10
        name = f"MLP 784-50-10, batch {batch}, a step"
        for way, train in (("", by_steps), (", all in one call", as_a_whole)):
            call = lambda: train(parameters, velocities, x, y)
            timing.timed({"peer": "jax", "name": name + way, "check": float(call())}, wait, call, 0, 0, 1, STEPS)

    @jax.jit
    def recur(x, lengths, w, b):
        def step(h, at):
            x, t = at
            new, live = jnp.tanh(jnp.concatenate([x, h], 1) @ w + b), lengths > t
            return jnp.where(live, new, h), jnp.where(live, new, 0)

        return jax.lax.scan(step, jnp.zeros((x.shape[1], 256)), (x, jnp.arange(x.shape[0])))[::-1]

    @jax.jit
    def recur_hoisted(x, lengths, w, b):
        given, w = x @ w[:64] + b, w[64:]

        def step(h, at):
            x, t = at
            new, live = jnp.tanh(x + h @ w), lengths > t
            return jnp.where(live, new, h), jnp.where(live, new, 0)

        return jax.lax.scan(step, jnp.zeros((x.shape[1], 256)), (given, jnp.arange(x.shape[0])))[::-1]

    for length, batch in SCANS:
        given = [jnp.asarray(it) for it in rnn_of(numpy, length, batch)]
        for name, scan in (("RNN", recur), ("RNN, inputs multiplied first", recur_hoisted)):
            call = lambda: scan(*given)[0]
            label = f"{name}, {length} steps at batch {batch}"
            timing.timed({"peer": "jax", "name": label, "check": float(call().sum())}, wait, call, 0, 0, 5)


def with_torch():
    import numpy
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    wait = lambda _: torch.cuda.synchronize()
    from torch.func import grad_and_value
    from torch.nn.functional import log_softmax, nll_loss, relu

    def loss_of(parameters, x, y):
        w1, b1, w2, b2 = parameters
        return nll_loss(log_softmax(relu(x @ w1 + b1) @ w2 + b2, 1), y)

    def step(parameters, velocities, x, y):
        slopes, loss = grad_and_value(loss_of)(parameters, x, y)
        for p, v, g in zip(parameters, velocities, slopes):
            v.mul_(0.5).add_(g)
            p.sub_(0.01 * v)
        return loss

    def train(step, parameters, velocities, x, y):
        for _ in range(STEPS):
            loss = step(parameters, velocities, x, y)
        return loss

    def solve(a, b, x, tolerance):
        r = b - a @ x
        while (r * r).sum() > tolerance:
            x = x + 0.01 * r
            r = b - a @ x
        return x

    for n in SOLVERS:
        a, b = (torch.from_numpy(it).cuda() for it in solver_of(numpy, n))
        call = lambda: solve(a, b, torch.zeros(n, device="cuda"), 1e-10 * n)
        name = f"solver, {n} unknowns, until a tolerance"
        timing.timed({"peer": "torch", "name": name, "check": float(call().sum())}, wait, call, 0, 0, 3)

    for batch in BATCHES:
        x, y = torch.from_numpy(numbers(numpy, batch, 784)).cuda(), (torch.arange(batch) * 31 % 10).cuda()
        for peer, one in (("torch", step), ("torch.compile", torch.compile(step, mode="reduce-overhead"))):

            def call():
                parameters = [torch.from_numpy(numbers(numpy, *dims)).cuda() * 0.1 for dims in MLP]
                return train(one, parameters, [torch.zeros_like(p) for p in parameters], x, y)

            name = f"MLP 784-50-10, batch {batch}, a step"
            timing.timed({"peer": peer, "name": name, "check": float(call())}, wait, call, 0, 0, 1, STEPS)

    def recur(x, lengths, w, b):
        h, outputs = torch.zeros(x.shape[1], 256, device="cuda"), []
        for t in range(x.shape[0]):
            new, live = torch.tanh(torch.addmm(b, torch.cat((x[t], h), 1), w)), lengths > t
            h = torch.where(live, new, h)
            outputs.append(torch.where(live, new, 0.0))
        return torch.stack(outputs), h

    for length, batch in SCANS:
        given = [torch.from_numpy(it).cuda() for it in rnn_of(numpy, length, batch)]
        call = lambda: recur(*given)[0]
        label = f"RNN, {length} steps at batch {batch}"
        timing.timed({"peer": "torch", "name": label, "check": float(call().sum())}, wait, call, 0, 0, 3)


chosen = [it for it in (with_jax, with_torch) if not sys.argv[1:] or it.__name__.removeprefix("with_") in sys.argv[1:]]
for peer in chosen:
    try:
        peer()
    except ImportError as error:
        print(json.dumps({"peer": peer.__name__, "missing": str(error)}))
