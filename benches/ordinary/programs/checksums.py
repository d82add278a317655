def crc32(data):
    crc = 0xFFFFFFFF
    for b in data:
        crc ^= b
        for _ in range(8):
            if crc & 1:
                crc = (crc >> 1) ^ 0xEDB88320
            else:
                crc >>= 1
    return crc ^ 0xFFFFFFFF


def fnv(text):
    h = 0xCBF29CE484222325
    for ch in text:
        h ^= ord(ch)
        h = (h * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


def adler(data):
    a, b = 1, 0
    for d in data:
        a = (a + d) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def rot(x, n):
    return ((x << n) | (x >> (32 - n))) & 0xFFFFFFFF


def md5ish(words):
    a, b, c, d = 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476
    for i, w in enumerate(words):
        f = (b & c) | (~b & d)
        t = (a + f + w + i) & 0xFFFFFFFF
        a, d, c, b = d, c, b, (b + rot(t, i % 4 + 5)) & 0xFFFFFFFF
    return "%08x%08x%08x%08x" % (a, b, c, d)


B64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def b64(data):
    out = ""
    for i in range(0, len(data), 3):
        chunk = data[i : i + 3]
        n = int.from_bytes(chunk + b"\0" * (3 - len(chunk)), "big")
        s = "".join(B64[(n >> s) & 63] for s in (18, 12, 6, 0))
        out += s[: len(chunk) + 1] + "=" * (3 - len(chunk))
    return out


N = [0]


def bench_crc():
    return crc32(b"hello world, this is a test" * 40)


def bench_crc_fresh():
    N[0] += 1
    return crc32((b"x%d" % (N[0] % 2)) * 400)


def bench_fnv():
    return fnv("the quick brown fox" * 60)


def bench_adler():
    return adler(bytes(range(256)) * 10)


def bench_md5():
    return md5ish(list(range(3000)))


def bench_b64():
    return b64(bytes(range(256)) * 3)
