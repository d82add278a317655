"""The programs of arrays.py with PyTorch (eager and compiled) and JAX, as far as they are installed: lines of JSON."""

import json
import sys

import timing

N = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 26
SIDE = 8192
CALLS = 50


def timed(peer, wait, name, call, moved=0, operations=0, calls=CALLS):
    timing.timed({"peer": peer, "name": name}, wait, call, moved, operations, calls)


def with_torch():
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    wait = lambda _: torch.cuda.synchronize()
    x = (torch.arange(N, device="cuda") % 1013).float() * 0.001
    y = (torch.arange(N, device="cuda") % 211).float() * 0.01
    eager = lambda *args, **named: timed("torch", wait, *args, **named)
    eager("copy f32", lambda: x.clone(), 8 * N)
    eager("x + y f32", lambda: x + y, 12 * N)
    eager("x * 2 + y f32", lambda: x * 2.0 + y, 12 * N)
    eager("exp f32", lambda: torch.exp(x), 8 * N)
    chain = lambda x, y: torch.clamp(x * 2.0 + y, min=0.0) * 0.5 + 1.0
    eager("chain f32, one kernel", lambda: chain(x, y), 12 * N)
    compiled = torch.compile(chain)
    timed("torch.compile", wait, "chain f32, one kernel", lambda: compiled(x, y), 12 * N)
    eager("sum f32", lambda: x.sum(), 4 * N)
    eager("max f32", lambda: x.max(), 4 * N)
    rows = x[: SIDE * SIDE].reshape(SIDE, -1)
    eager("sum of rows f32", lambda: rows.sum(dim=1), 4 * rows.numel())
    eager("sum of columns f32", lambda: rows.sum(dim=0), 4 * rows.numel())
    timed("torch.compile", wait, "chain f32, operations on arrays", lambda: compiled(x, y), 12 * N)
    eager("chain f32, operations on arrays", lambda: chain(x, y), 12 * N)
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        for side in (SIDE, SIDE // 8):
            wide = rows.to(dtype).reshape(-1, side)
            name, moved = str(dtype).removeprefix("torch."), 2 * wide.element_size() * wide.numel()
            functions = {
                "softmax": lambda x: torch.softmax(x, -1),
                "layer norm": lambda x: torch.nn.functional.layer_norm(x, (x.shape[-1],)),
                "log softmax": lambda x: torch.log_softmax(x, -1),
            }
            for function, call in functions.items():
                title = f"{function} {name}, rows of {side}"
                eager(title, lambda: call(wide), moved)
                fused = torch.compile(call, dynamic=False)
                timed("torch.compile", wait, title, lambda: fused(wide), moved)
            eager(f"max of rows {name}, of {side}", lambda: wide.amax(dim=1), moved // 2)
    b = x.bfloat16()
    eager("chain bf16", lambda: chain(b, b), 4 * N)
    compiled_b = torch.compile(chain)
    timed("torch.compile", wait, "chain bf16", lambda: compiled_b(b, b), 4 * N)
    i = (x * 100.0).int()
    eager("i + i int32", lambda: i + i, 8 * N)
    del b, i
    z = x.double()
    eager("copy f64", lambda: z.clone(), 16 * N)
    eager("z + z f64", lambda: z + z, 24 * N)
    small = x[:1024]
    eager("x + y of 1024, one call", lambda: small + small, calls=500)
    for dtype, side in ((torch.float32, 4096), (torch.float64, 2048), (torch.bfloat16, 8192), (torch.float16, 8192)):
        a = ((torch.arange(side * side, device="cuda") % 61).float() * 0.01).to(dtype).reshape(side, side)
        name = str(dtype).removeprefix("torch.")
        eager(f"product {name} {side}", lambda: a @ a, operations=2 * side**3, calls=10)
        if a.element_size() == 2:
            dense = lambda a: torch.clamp(a @ a + a[0], min=0.0)
            eager(f"dense layer {name} {side}", lambda: dense(a), operations=2 * side**3, calls=10)
            fused = torch.compile(dense, dynamic=False)
            timed("torch.compile", wait, f"dense layer {name} {side}", lambda: fused(a), operations=2 * side**3, calls=10)


def with_jax():
    import os

    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax
    import jax.numpy as jnp

    wait = lambda out: jax.block_until_ready(out)
    x = (jnp.arange(N) % 1013).astype(jnp.float32) * 0.001
    y = (jnp.arange(N) % 211).astype(jnp.float32) * 0.01
    time_of = lambda name, call, *args: timed("jax", wait, name, call, *args)
    add, exp = jax.jit(lambda x, y: x + y), jax.jit(jnp.exp)
    time_of("x + y f32", lambda: add(x, y), 12 * N)
    time_of("exp f32", lambda: exp(x), 8 * N)
    chain = jax.jit(lambda x, y: jnp.maximum(x * 2.0 + y, 0.0) * 0.5 + 1.0)
    time_of("chain f32, one kernel", lambda: chain(x, y), 12 * N)
    total = jax.jit(jnp.sum)
    time_of("sum f32", lambda: total(x), 4 * N)
    def converge(x, tolerance):
        def turn(state):
            at, _, steps = state
            new = at * 0.99 + 1.0
            return new, jnp.abs(new - at), steps + 1

        return jax.lax.while_loop(lambda state: state[1] > tolerance, turn, (x, jnp.float32(1.0), 0))

    loop = jax.jit(converge)
    timed("jax", wait, "data-dependent loop, 1000 steps", lambda: loop(jnp.float32(0.0), 4.3e-5), calls=5)
    rows = x[: SIDE * SIDE].reshape(SIDE, -1)
    time_of("chain f32, operations on arrays", lambda: chain(x, y), 12 * N)
    for dtype in (jnp.float32, jnp.bfloat16):
        for side in (SIDE, SIDE // 8):
            wide = rows.astype(dtype).reshape(-1, side)
            functions = {
                "softmax": lambda x: jax.nn.softmax(x, axis=-1),
                "layer norm": lambda x: jax.nn.standardize(x, axis=-1),
                "log softmax": lambda x: jax.nn.log_softmax(x, axis=-1),
            }
            for function, call in functions.items():
                fused = jax.jit(call)
                time_of(f"{function} {jnp.dtype(dtype).name}, rows of {side}", lambda: fused(wide), 2 * wide.nbytes)


for peer in (with_torch, with_jax):
    try:
        peer()
    except ImportError as error:
        print(json.dumps({"peer": peer.__name__, "missing": str(error)}))
