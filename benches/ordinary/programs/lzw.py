import random


def make_text(seed, n):
    r = random.Random(seed)
    words = ["alpha", "beta", "gamma", "delta", "eps"]
    return " ".join(r.choice(words) for _ in range(n))


def compress(text):
    table = {chr(i): i for i in range(256)}
    w = ""
    out = []
    for c in text:
        wc = w + c
        if wc in table:
            w = wc
        else:
            out.append(table[w])
            table[wc] = len(table)
            w = c
    if w:
        out.append(table[w])
    return out


def decompress(codes):
    table = {i: chr(i) for i in range(256)}
    w = chr(codes[0])
    parts = [w]
    for k in codes[1:]:
        if k in table:
            entry = table[k]
        elif k == len(table):
            entry = w + w[0]
        else:
            raise ValueError("bad code %d" % k)
        parts.append(entry)
        table[len(table)] = w + entry[0]
        w = entry
    return "".join(parts)


def rle(text):
    out = []
    i = 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out.append((text[i], j - i))
        i = j
    return out


COUNT = [0]


def bench():
    COUNT[0] += 1
    t = make_text(COUNT[0] % 2, 400)
    c = compress(t)
    return len(c), decompress(c) == t, c[:20]


def bench_rle():
    t = "aaabbbccddddde" * 100
    return rle(t)[:10], len(rle(t))
