from fractions import Fraction


def miller(n, bases=(2, 3, 5, 7)):
    if n < 2:
        return False
    for p in bases:
        if n % p == 0:
            return n == p
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in bases:
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def count_primes(n):
    return sum(1 for i in range(n) if miller(i))


def pi_digits(n):
    q, r, t, k, m, x = 1, 0, 1, 1, 3, 3
    out = []
    while len(out) < n:
        if 4 * q + r - t < m * t:
            out.append(m)
            q, r, m = 10 * q, 10 * (r - m * t), (10 * (3 * q + r)) // t - 10 * m
        else:
            q, r, t, k, m, x = q * k, (2 * q + r) * x, t * x, k + 1, (q * (7 * k + 2) + r * x) // (t * x), x + 2
    return "".join(map(str, out))


def harmonic(n):
    s = Fraction(0)
    for i in range(1, n + 1):
        s += Fraction(1, i)
    return s


def partitions(n, k):
    if n == 0:
        return 1
    if n < 0 or k == 0:
        return 0
    return partitions(n - k, k) + partitions(n, k - 1)


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def totients(n):
    return [sum(1 for k in range(1, i + 1) if gcd(i, k) == 1) for i in range(1, n)]


def egcd(a, b):
    if b == 0:
        return a, 1, 0
    g, x, y = egcd(b, a % b)
    return g, y, x - a // b * y


def inverses(m):
    out = {}
    for a in range(1, m):
        g, x, _ = egcd(a, m)
        if g == 1:
            out[a] = x % m
    return out


def roman(n):
    out = ""
    for v, s in (
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ):
        while n >= v:
            out += s
            n -= v
    return out


def perfect(limit):
    return [n for n in range(2, limit) if sum(d for d in range(1, n // 2 + 1) if n % d == 0) == n]


def pascal(n):
    rows = [[1]]
    for _ in range(n):
        last = rows[-1]
        rows.append([1] + [a + b for a, b in zip(last, last[1:])] + [1])
    return rows


def bench_primes():
    return count_primes(1500)


def bench_pi():
    return pi_digits(60)


def bench_harmonic():
    return harmonic(80)


def bench_partitions():
    return partitions(18, 18)


def bench_totients():
    return totients(120)[-5:]


def bench_inverses():
    return len(inverses(211))


def bench_roman():
    return [roman(i) for i in range(1, 400)][-1]


def bench_perfect():
    return perfect(500)


def bench_pascal():
    return sum(pascal(30)[-1])
