import struct
from itertools import count

FRESH = count()


def popcount(n):
    bits = 0
    while n:
        n &= n - 1
        bits += 1
    return bits


def popcounts(n):
    return sum(popcount(i * 2654435761 % 2**32) for i in range(n))


def gray(n):
    return [i ^ (i >> 1) for i in range(1 << n)]


def reverse_bits(x, width):
    result = 0
    for _ in range(width):
        result = (result << 1) | (x & 1)
        x >>= 1
    return result


def bit_reversed(width):
    return [reverse_bits(i, width) for i in range(1 << width)]


def fnv(data):
    h = 0x811C9DC5
    for byte in data:
        h ^= byte
        h = (h * 0x01000193) & 0xFFFFFFFF
    return h


def adler(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


def crc_table():
    table = []
    for i in range(256):
        c = i
        for _ in range(8):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
        table.append(c)
    return table


TABLE = crc_table()


def crc(data):
    c = 0xFFFFFFFF
    for byte in data:
        c = TABLE[(c ^ byte) & 0xFF] ^ (c >> 8)
    return c ^ 0xFFFFFFFF


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def base64(data):
    out = []
    for i in range(0, len(data), 3):
        chunk = data[i : i + 3]
        n = int.from_bytes(chunk, "big") << (8 * (3 - len(chunk)))
        for k in range(4):
            out.append(ALPHABET[(n >> (18 - 6 * k)) & 63] if k <= len(chunk) else "=")
    return "".join(out)


def varint(numbers):
    out = bytearray()
    for n in numbers:
        while n > 127:
            out.append(n & 127 | 128)
            n >>= 7
        out.append(n)
    return bytes(out)


def unvarint(data):
    numbers, n, shift = [], 0, 0
    for byte in data:
        n |= (byte & 127) << shift
        if byte & 128:
            shift += 7
        else:
            numbers.append(n)
            n = shift = 0
    return numbers


def xor_cipher(data, key):
    return bytes(b ^ key[i % len(key)] for i, b in enumerate(data))


def lfsr(seed, n):
    state, out = seed, 0
    for _ in range(n):
        bit = (state ^ (state >> 2) ^ (state >> 3) ^ (state >> 5)) & 1
        state = (state >> 1) | (bit << 15)
        out = (out * 2 + bit) % 1000007
    return state, out


def xorshift(seed, n):
    x = seed
    for _ in range(n):
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
    return x


class Bloom:
    def __init__(self, size, hashes):
        self.size, self.hashes = size, hashes
        self.bits = [False] * size

    def places(self, item):
        h = item * 2654435761 % 4294967296
        for i in range(self.hashes):
            yield (h + i * (h >> 16 | 1)) % self.size

    def add(self, item):
        for place in self.places(item):
            self.bits[place] = True

    def __contains__(self, item):
        return all(self.bits[place] for place in self.places(item))


def bloom(n):
    known = Bloom(4096, 3)
    for i in range(n):
        known.add(i * i)
    return sum(i in known for i in range(3 * n))


def hamming(a, b):
    return bin(a ^ b).count("1")


def hammings(n):
    return sum(hamming(i, i * 7 + 3) for i in range(n))


def subsets(items):
    return [[it for i, it in enumerate(items) if mask >> i & 1] for mask in range(1 << len(items))]


def pack(records):
    out = b""
    for a, b, c in records:
        out += struct.pack("<IhB", a, b, c)
    return out


def unpack(data):
    total = 0
    for i in range(0, len(data), 7):
        a, b, c = struct.unpack_from("<IhB", data, i)
        total += a * c - b
    return total


def single_number(numbers):
    ones = twos = 0
    for n in numbers:
        ones = (ones ^ n) & ~twos
        twos = (twos ^ n) & ~ones
    return ones


def to_base(n, base):
    digits = []
    while n:
        n, digit = divmod(n, base)
        digits.append("0123456789abcdefghijklmnopqrstuvwxyz"[digit])
    return "".join(reversed(digits)) or "0"


def bases(n):
    return [to_base(i * 977, i % 35 + 2) for i in range(n)]


def isqrt(n):
    x = n
    y = (x + 1) // 2
    while y < x:
        x = y
        y = (x + n // x) // 2
    return x


def roots(n):
    return sum(isqrt(i * i + i) for i in range(1, n))


def powmod(base, exponent, modulus):
    result = 1
    while exponent:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


def is_prime(n):
    if n < 2 or n % 2 == 0:
        return n == 2
    d, r = n - 1, 0
    while d % 2 == 0:
        d //= 2
        r += 1
    for a in (2, 3, 5, 7):
        if a >= n:
            continue
        x = powmod(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(r - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def prime_count(first, n):
    return sum(is_prime(k) for k in range(first, first + n))


DATA = bytes(i * 31 % 256 for i in range(3000))
RECORDS = [(i * 7919, i % 300 - 150, i % 256) for i in range(300)]
PACKED = pack(RECORDS)
NUMBERS = [i * i * 37 for i in range(500)]
VARINTS = varint(NUMBERS)


def fresh(n):
    k = next(FRESH)
    return bytes((i * 31 + k) % 256 for i in range(n))


def bench_popcounts():
    return popcounts(400)


def bench_gray():
    return sum(gray(11))


def bench_reversed():
    return sum(bit_reversed(9))


def bench_fnv():
    return fnv(DATA)


def bench_fnv_fresh():
    return fnv(fresh(2000))


def bench_adler_fresh():
    return adler(fresh(2000))


def bench_crc_fresh():
    return crc(fresh(2000))


def bench_table():
    return sum(crc_table())


def bench_base64():
    return base64(DATA)


def bench_base64_fresh():
    return base64(fresh(900))


def bench_varint():
    return varint(NUMBERS)


def bench_unvarint():
    return unvarint(VARINTS)


def bench_xor():
    return xor_cipher(fresh(1500), b"secret")


def bench_lfsr():
    return lfsr(0xACE1 + next(FRESH), 4000)


def bench_xorshift():
    return xorshift(2463534242 + next(FRESH), 4000)


def bench_bloom():
    return bloom(150)


def bench_hammings():
    return hammings(1500)


def bench_subsets():
    return len(subsets([3, 1, 4, 1, 5, 9, 2, 6]))


def bench_pack():
    return pack(RECORDS)


def bench_unpack():
    return unpack(PACKED)


def bench_single():
    k = next(FRESH)
    return single_number([(i * 7 + k) % 1009 for i in range(300)] * 3 + [77])


def bench_bases():
    return bases(300)


def bench_roots():
    return roots(500)


def bench_primes():
    return prime_count(100001 + next(FRESH), 200)
