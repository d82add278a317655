"""Hashes, checksums and random numbers, which compute modulo 2**32 and 2**64."""

from snekpy import stage

MASK = 0xFFFFFFFFFFFFFFFF


def fnv1a(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h ^= byte
        h = (h * 0x100000001B3) & MASK
    return h


def fnv1(data, prime=16777619, mask=0xFFFFFFFF):
    h = 2166136261
    for byte in data:
        h *= prime
        h &= mask
        h ^= byte
    return h


def djb2(data):
    h = 5381
    for byte in data:
        h = ((h << 5) + h + byte) % 2**64
    return h


def xorshift(seed, count):
    x, total, top = seed, 0, 0
    for _ in range(count):
        x ^= (x << 13) & MASK
        x ^= x >> 7
        x ^= (x << 17) & 0xFFFFFFFFFFFFFFFF
        total += x % 1000
        top = max(top, x >> 40)
    return x, total, top


def splitmix(state, count):
    found = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        found.append(z ^ (z >> 31))
    return found


def murmur(data, seed):
    h = seed
    for start in range(0, len(data) - 3, 4):
        k = data[start] | data[start + 1] << 8 | data[start + 2] << 16 | data[start + 3] << 24
        k = k * 0xCC9E2D51 & 0xFFFFFFFF
        k = (k << 15 | k >> 17) & 0xFFFFFFFF
        k = k * 0x1B873593 & 0xFFFFFFFF
        h ^= k
        h = (h << 13 | h >> 19) & 0xFFFFFFFF
        h = h * 5 + 0xE6546B64 & 0xFFFFFFFF
    h ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        h ^= h >> shift
        h = h * factor & 0xFFFFFFFF
    return h


def linear(state, count):
    total = 0.0
    for _ in range(count):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        total += state / 2**64
    return total, state


def pcg(state, count):
    out = []
    for _ in range(count):
        old = state
        state = (old * 6364136223846793005 + 1) & MASK
        shifted = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF
        turn = old >> 59
        out.append((shifted >> turn | shifted << (-turn & 31)) & 0xFFFFFFFF)
    return out


def rotate(x, by):
    return ((x << by) & MASK) | (x >> (64 - by))


def siphash_round(a, b, c, d, times):
    for _ in range(times):
        a = (a + b) & MASK
        b = rotate(b, 13) ^ a
        a = rotate(a, 32)
        c = (c + d) & MASK
        d = rotate(d, 16) ^ c
        a = (a + d) & MASK
        d = rotate(d, 21) ^ a
        c = (c + b) & MASK
        b = rotate(b, 17) ^ c
        c = rotate(c, 32)
    return a ^ b ^ c ^ d


def adler(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def bits(n):
    x = n & MASK
    count = 0
    while x:
        x &= x - 1
        count += 1
    return count


def zobrist(moves):
    table, seed = [], 1
    for _ in range(16):
        seed = (seed * 2862933555777941757 + 3037000493) & MASK
        table.append(seed)
    h = 0
    for move in moves:
        h ^= table[move % 16]
    return h, table[3], len(table)


def bloom(words, size):
    field, hits = 0, 0
    for word in words:
        h = 14695981039346656037
        for char in word:
            h = ((h ^ ord(char)) * 1099511628211) & MASK
        slot = h % size
        if field >> slot & 1:
            hits += 1
        field |= 1 << slot
    return field, hits


def names(words):
    return {word: fnv1a(word.encode()) for word in words}, f"{fnv1a(b'x'):016x}", hex(fnv1a(b"y"))


fnv1a, fnv1, djb2, xorshift, splitmix, murmur, linear, pcg, siphash_round, adler, bits, zobrist, bloom, names = map(
    stage,
    (fnv1a, fnv1, djb2, xorshift, splitmix, murmur, linear, pcg, siphash_round, adler, bits, zobrist, bloom, names),
)
for size in (0, 1, 7, 64, 300):
    data = bytes(i * i * 7 % 251 for i in range(size))
    print(fnv1a(data), fnv1(data), fnv1(data, 0x100000001B3, MASK), djb2(data), murmur(data, size), adler(data))
    print(fnv1a(list(data)), murmur(list(data), 2**32 - 1))
    print(xorshift(88172645463325252, size), xorshift(2**64 - 1, size), xorshift(1, size), linear(size, size))
    print(splitmix(size, size % 20), splitmix(MASK - size, 3), pcg(size, size % 9), pcg(MASK, 4))
    print(siphash_round(1, 2, 3, MASK, size), siphash_round(size, 2**63, MASK, 7, 5))
    print(bits(size), bits(-size), bits(-1), zobrist(list(data)), bloom(["a", "bb", "a", "ccc"] * (size % 5), 61))
print(names(["alpha", "beta", "gamma"]), names([]), names(["alpha"]))
