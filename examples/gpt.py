"""A small GPT that learns to write as the guide of snekpy does, letter by letter, and then writes.

    snekpy examples/gpt.py [ROUNDS]

Training and writing are staged. What is written is computed place by place: keys and values of what has been are kept
(`snekpy.nn.KeyValueCache`). A round is 100 steps.
"""

import pathlib
import sys
import time

import snekpy.numpy as np
from snekpy import nn, optim, random, stage, value_and_grad

GUIDE = pathlib.Path(__file__).parent.parent / "docs" / "guide"
PLACES, BATCH, SIZE, HEADS, LAYERS = 64, 16, 64, 4, 2


def load():
    """The letters that there are, and the guide as their numbers."""
    text = "".join(it.read_text() for it in sorted(GUIDE.glob("[01]*.md")))
    letters = sorted(set(text))
    numbers = {letter: n for n, letter in enumerate(letters)}
    return letters, np.array([numbers[it] for it in text])


class GPT:
    """Letters `(batch, places)` to logits of the next, `(batch, places, letters)` (Radford et al. 2019)."""

    def __init__(self, count, key):
        k1, k2, k3, k4 = random.split(key, 4)
        small = nn.initializers.normal(0.02)
        self.letters = nn.Embedding(count, SIZE, init=small, key=k1)
        self.places = nn.Embedding(PLACES, SIZE, init=small, key=k2)
        self.layers = [
            nn.TransformerEncoderLayer(SIZE, HEADS, dropout=0.0, activation=nn.gelu, norm_first=True, key=it)
            for it in random.split(k3, LAYERS)
        ]
        self.norm, self.out = nn.LayerNorm(SIZE), nn.Linear(SIZE, count, bias=False, key=k4)

    def __call__(self, ids, caches=None, before=0, *, training=False, key=None):
        x = self.letters(ids) + self.places.weight[before : before + ids.shape[1]]
        for n, layer in enumerate(self.layers):
            cache = None if caches is None else caches[n]
            own = None if key is None else random.fold_in(key, n)
            x = layer(x, causal=True, cache=cache, training=training, key=own)
        return self.out(self.norm(x))

    def caches(self):
        """Empty ones for one text."""
        return [layer.cache(1, PLACES) for layer in self.layers]


def loss_of(model, ids, key):
    return nn.cross_entropy(model(ids[:, :-1], training=True, key=key), ids[:, 1:])


@stage
def train(model, opt, text, steps, key):
    """Learns from pieces of the text; returns the mean loss."""
    total = 0.0
    for _ in range(steps):
        here = random.fold_in(key, opt.count)
        begins = random.randint(here, (BATCH, 1), 0, len(text) - PLACES)
        ids = text[begins + np.arange(PLACES + 1)]
        loss, grads = value_and_grad(loss_of)(model, ids, here)
        opt.update(model, optim.clip_by_global_norm(grads, 1.0))
        total += loss
    return total / steps


@stage
def write(model, caches, start, heat, key):
    """`start` and what comes behind it, a letter at a time, drawn from what the model takes to be likely."""
    found = np.zeros((PLACES,), dtype="int64")
    found[: len(start)] = start
    for at in range(PLACES - 1):
        logits = model(found[at : at + 1].reshape(1, 1), caches, at)[0, 0]
        if at + 1 >= len(start):
            found[at + 1] = random.categorical(random.fold_in(key, at), logits / heat)
    return found


def main(rounds):
    letters, text = load()
    key = random.key(1)
    model = GPT(len(letters), key)
    opt = optim.AdamW(model, 3e-3, weight_decay=0.1, decays=lambda name, parameter: parameter.ndim > 1)
    loss = 0.0
    for n in range(rounds):
        loss = train(model, opt, text, 100, random.fold_in(key, n))
        print(f"{opt.count} steps: loss {loss:.3f}")
    start = np.array([letters.index(it) for it in "A staged "])
    for n in range(3):
        made = write(model, model.caches(), start, 0.7, random.fold_in(key, n))
        print(repr("".join(letters[it] for it in made.tolist())))
    return loss


if __name__ == "__main__":
    start = time.perf_counter()
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
    print(f"{time.perf_counter() - start:.1f} s", file=sys.stderr)
