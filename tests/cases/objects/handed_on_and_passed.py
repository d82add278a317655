# A dict of the module is also an argument, and lists of the module grow: such a call may be plain, and is not refused.
import re

from snekpy import stage


@stage
def both(n, x, h0):
    global texts
    last = []
    for i in range(n % 7):
        last.append(z)
        if len(last) > 3:
            last.pop(0)
        texts.append(z)
    for q in texts[:5]:
        try:
            letters.sub("", q)
        except TypeError:
            print("no text")
        for m in parts.finditer(word):
            try:
                for k in h0:
                    h0[k] = n
            except RuntimeError as error:
                print(error)
            h0[f"{n:>6}"] = z
    return last


letters = re.compile(r"[a-m]+")
parts = re.compile(r"(\d+)|(\w)")
word, z, texts = "ab", "start", ["ab", 2, None]
h = {"k1": "one", "k2": 2.5}
print(both(101, word, h), texts, h)
z = ["a", 1]
h = {"k1": 4, "k4": [1]}
print(both(0, "Ab cD 7 ef", {"k1": [1], "k3": None}), texts, h)
print(both(-6, "-1", h), texts, h)
texts = []
parts = re.compile(r"(a)|(.)")
for n, x in (-4095, "the cat and the dog"), (1, "the cat and the dog"), (1, ""):
    print(both(n, x, h), texts, h)
    h = {"k1": 4, "k4": [1]}
    z = None
