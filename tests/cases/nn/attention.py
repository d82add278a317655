"""Attention against loops over floats: masks, heads, caches; transformer layers against what they are made of; gradients."""
#@ reference snekpy: CPython has no `snekpy.nn`
import math

import snekpy.numpy as np
from snekpy import nn, optim, random, stage, value_and_grad

KEY = random.key(11)
wide = {"key": KEY, "dtype": "float64"}


def some(seed, *shape):
    return random.normal(random.fold_in(KEY, seed), shape, "float64")


def flat(it):
    it = it.tolist() if isinstance(it, np.ndarray) else it
    return [v for part in it for v in flat(part)] if isinstance(it, (list, tuple)) else [it]


def same(name, got, wanted, within=1e-12):
    got, wanted = flat(got), flat(wanted)
    assert len(got) == len(wanted), (name, len(got), len(wanted))
    off = max(abs(a - b) for a, b in zip(got, wanted))
    assert off < within, (name, off)


def attend(queries, keys, values, seen, more=lambda i, j: 0.0):
    """Of lists of rows; `seen(i, j)` says whether query i may look at key j."""
    found = []
    for i, q in enumerate(queries):
        scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q)) + more(i, j) for j, k in enumerate(keys)]
        powers = [math.exp(s) if seen(i, j) else 0.0 for j, s in enumerate(scores)]
        total = sum(powers)
        found.append([sum(p / total * v[n] for p, v in zip(powers, values)) for n in range(len(values[0]))])
    return found


# One head.
q, k, v = some(0, 3, 4), some(1, 5, 4), some(2, 5, 2)
lists = q.tolist(), k.tolist(), v.tolist()
same("plain", nn.scaled_dot_product_attention(q, k, v), attend(*lists, lambda i, j: True))
mask = some(3, 3, 5) > -0.5
mask[:, 0] = True
rows = mask.tolist()
same("masked", nn.scaled_dot_product_attention(q, k, v, mask), attend(*lists, lambda i, j: rows[i][j]))
added = some(4, 3, 5)
more = added.tolist()
same("biased", nn.scaled_dot_product_attention(q, k, v, added), attend(*lists, lambda i, j: True, lambda i, j: more[i][j]))
same("scaled", nn.scaled_dot_product_attention(q * 2, k, v, scale=0.25), attend(*lists, lambda i, j: True))
nothing = nn.scaled_dot_product_attention(q, k, v, np.zeros((3, 5), dtype="bool"))
same("nothing to look at", nothing, [[sum(row[n] for row in lists[2]) / 5 for n in range(2)]] * 3)
print(nn.causal_mask(3).tolist(), nn.causal_mask(2, 5, 2).tolist())
positions = nn.sinusoidal_positions(3, 4, "float64")
same("positions", positions, [[f(p / 10000 ** (n / 2)) for f in (math.sin, math.cos) for n in range(2)] for p in range(3)])


# Several heads.
def by_heads(layer, x, context, seen):
    def mapped(linear, row):
        w, b = linear.weight.tolist(), linear.bias.tolist()
        return [sum(r * w[i][j] for i, r in enumerate(row)) + b[j] for j in range(len(b))]

    each, found = len(x[0]) // layer.heads, []
    of = [[mapped(linear, row) for row in rows] for linear, rows in ((layer.query, x), (layer.key, context), (layer.value, context))]
    heads = [attend(*[[row[h * each : (h + 1) * each] for row in rows] for rows in of], seen) for h in range(layer.heads)]
    return [mapped(layer.out, [v for head in heads for v in head[i]]) for i in range(len(x))]


layer = nn.MultiHeadAttention(6, 3, **wide)
x, context = some(5, 2, 4, 6), some(6, 2, 3, 6)
padding = np.array([[True, True, True, False], [True, True, False, False]])
pads = padding.tolist()
CASES = {
    "itself": ((x,), {}, lambda n, i, j: True),
    "causal": ((x,), {"causal": True}, lambda n, i, j: j <= i),
    "padded": ((x,), {"mask": padding[:, None, None, :]}, lambda n, i, j: pads[n][j]),
    "both": ((x,), {"mask": padding[:, None, None, :], "causal": True}, lambda n, i, j: pads[n][j] and j <= i),
    "context": ((x, context), {}, lambda n, i, j: True),
}
for name, (given, how, seen) in CASES.items():
    other = given[-1]
    wanted = [by_heads(layer, x.tolist()[n], other.tolist()[n], lambda i, j: seen(n, i, j)) for n in range(2)]
    same(name, layer(*given, **how), wanted)
    same(name, stage(lambda layer, given: layer(*given, **how))(layer, given), layer(*given, **how), 1e-15)
    print(name, layer(*given, **how).round(6)[0, 0].tolist())
print({it: p.shape for it, p in nn.parameters(layer).items()})


def squares(layer, given, how):
    y = layer(*given, **how)
    return (y * np.cos(np.arange(float(y.size))).reshape(y.shape)).sum()


def check_slopes(name, layer, given, how, step=1e-6, every=1):
    plain, g = value_and_grad(lambda layer: squares(layer, given, how))(layer)
    staged, h = stage(lambda layer, given: value_and_grad(lambda it: squares(it, given, how))(layer))(layer, given)
    assert float(plain) == float(staged), name
    slopes, others = nn.parameters(g), nn.parameters(h)
    for of, p in nn.parameters(layer).items():
        assert slopes[of].tolist() == others[of].tolist(), (name, of)
        flat_p, found = p.reshape(-1), slopes[of].reshape(-1).tolist()
        for at in range(0, p.size, every):
            before = float(flat_p[at])
            flat_p[at] = before + step
            up = float(squares(layer, given, how))
            flat_p[at] = before - step
            down = float(squares(layer, given, how))
            flat_p[at] = before
            assert abs(found[at] - (up - down) / (2 * step)) < 1e-6, (name, of, at)
    print(name, round(float(plain), 9))


check_slopes("gradient", layer, (x,), {"causal": True, "mask": padding[:, None, None, :]}, every=5)
check_slopes("gradient of context", layer, (x, context), {}, every=5)

# With a cache, place by place or some at once, what comes is what comes of all.
whole = layer(x, causal=True)


def one_by_one(layer, cache, x):
    found = np.zeros(x.shape)
    for t in range(x.shape[1]):
        found[:, t : t + 1] = layer(x[:, t : t + 1], cache=cache)
    return found


for run in (one_by_one, stage(one_by_one)):
    cache = layer.cache(2, 6)
    same("cached", run(layer, cache, x), whole)
    print(cache.length, cache.keys.shape, cache.keys.dtype.name)
cache = layer.cache(2, 4)
same("cached in parts", np.concatenate([layer(x[:, :3], cache=cache), layer(x[:, 3:], cache=cache)], axis=1), whole)

# Transformer layers are what they are made of.
for norm_first in (False, True):
    encoder = nn.TransformerEncoderLayer(6, 2, 5, norm_first=norm_first, activation=nn.gelu, dropout=0.0, **wide)
    decoder = nn.TransformerDecoderLayer(6, 2, norm_first=norm_first, **wide)
    for it in (encoder, decoder):
        for norm in (it.norm1, it.norm2):
            norm.weight[...] = some(7, 6)
    inner = lambda it, x: it.linear2(it.act(it.linear1(x)))
    attended = lambda it, x, **how: it.self_attention(x, **how)
    if norm_first:
        y = x + attended(encoder, encoder.norm1(x))
        y = y + inner(encoder, encoder.norm2(y))
        z = x + attended(decoder, decoder.norm1(x), causal=True)
        z = z + decoder.cross_attention(decoder.norm2(z), context)
        z = z + inner(decoder, decoder.norm3(z))
    else:
        y = encoder.norm1(x + attended(encoder, x))
        y = encoder.norm2(y + inner(encoder, y))
        z = decoder.norm1(x + attended(decoder, x, causal=True))
        z = decoder.norm2(z + decoder.cross_attention(z, context))
        z = decoder.norm3(z + inner(decoder, z))
    same("encoder", encoder(x), y)
    same("decoder", decoder(x, context), z)
    same("trained without dropout", encoder(x, training=True), y)
    cache = decoder.cache(2, 4)
    same("decoder by steps", np.concatenate([decoder(x[:, t : t + 1], context, cache=cache) for t in range(4)], axis=1), z)
    check_slopes("encoder", encoder, (x,), {"causal": True}, every=13)
    check_slopes("decoder", decoder, (x, context), {}, every=31)
print(list(nn.parameters(encoder)))


# What is dropped depends on the key alone.
def dropped(layer, x, key):
    return layer(x, training=True, key=key)


encoder = nn.TransformerEncoderLayer(6, 2, dropout=0.5, **wide)
a, b, c = (dropped(encoder, x, key) for key in (1, 1, 2))
print(bool((a == b).all()), bool((a == c).all()), bool((a == stage(dropped)(encoder, x, 1)).all()))


# A language model of one layer learns a text by heart, staged and not.
class Model:
    def __init__(self, count, size, key):
        k1, k2, k3 = random.split(key, 3)
        self.table = nn.Embedding(count, size, key=k1, init=nn.initializers.normal(0.3))
        self.layer = nn.TransformerEncoderLayer(size, 2, dropout=0.0, norm_first=True, key=k2)
        self.norm = nn.RMSNorm(size)
        self.out = nn.Linear(size, count, key=k3)

    def __call__(self, ids, cache=None, before=0):
        x = self.table(ids)
        x = x + nn.sinusoidal_positions(16, x.shape[2])[before : before + x.shape[1]]
        return self.out(self.norm(self.layer(x, causal=True, cache=cache)))


text = "to be or not to be"
letters = sorted(set(text))
ids = np.array([[letters.index(it) for it in text]])


def of_text(model, ids):
    return nn.cross_entropy(model(ids[:, :-1][:, :16]), ids[:, 1:][:, :16])


def train(model, opt, ids, steps):
    for _ in range(steps):
        value, grads = value_and_grad(of_text)(model, ids)
        opt.update(model, grads)
    return value


values = []
for run in (train, stage(train)):
    model = Model(len(letters), 8, KEY)
    opt = optim.AdamW(model, 2e-2)
    values.append([float(run(model, opt, ids, steps)) for steps in (1, 60)])
assert values[0] == values[1], values
print([round(it, 4) for it in values[0]])


def written(model, cache, start, count):
    found = np.zeros((1, count), dtype="int64")
    at = start
    for t in range(count):
        at = np.argmax(model(at, cache, t), axis=-1)
        found[:, t : t + 1] = at
    return found


for run in (written, stage(written)):
    cache = model.layer.cache(1, 16)
    print("t" + "".join(letters[it] for it in run(model, cache, ids[:, :1], 15)[0].tolist()))

for call in (
    lambda: nn.MultiHeadAttention(6, 4, key=KEY),
    lambda: nn.MultiHeadAttention(6, 3),
    lambda: layer(x[0]),
    lambda: layer(some(1, 2, 4, 5)),
    lambda: layer(x, cache=layer.cache(2, 3)),
    lambda: encoder(x, training=True),
    lambda: nn.scaled_dot_product_attention(q, k, v[:4]),
    lambda: nn.sinusoidal_positions(3, 5),
    lambda: nn.TransformerEncoderLayer(6, 2, dropout=1.5, key=KEY),
):
    said = []
    for run in (call, stage(call)):
        try:
            said.append(run())
        except (TypeError, ValueError) as error:
            said.append((type(error).__name__, str(error)))
    assert said[0] == said[1], said
    print(*said[0])
