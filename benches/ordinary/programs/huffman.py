import heapq
from collections import Counter


def codes(text):
    heap = [[weight, [symbol, ""]] for symbol, weight in sorted(Counter(text).items())]
    heapq.heapify(heap)
    while len(heap) > 1:
        low = heapq.heappop(heap)
        high = heapq.heappop(heap)
        for pair in low[1:]:
            pair[1] = "0" + pair[1]
        for pair in high[1:]:
            pair[1] = "1" + pair[1]
        heapq.heappush(heap, [low[0] + high[0]] + low[1:] + high[1:])
    return dict(heap[0][1:])


def encode(text, table):
    return "".join(table[ch] for ch in text)


def decode(bits, table):
    back = {code: symbol for symbol, code in table.items()}
    out, code = [], ""
    for bit in bits:
        code += bit
        if code in back:
            out.append(back[code])
            code = ""
    return "".join(out)


TEXT = "she sells sea shells by the sea shore; the shells she sells are surely seashells. " * 20


def bench():
    return codes(TEXT)


def bench_roundtrip():
    table = codes(TEXT)
    bits = encode(TEXT, table)
    return len(bits), decode(bits, table) == TEXT
