import math
import random
from decimal import Decimal
from fractions import Fraction


def sieve(n):
    flags = bytearray([1]) * (n + 1)
    flags[0] = flags[1] = 0
    for i in range(2, int(n**0.5) + 1):
        if flags[i]:
            flags[i * i :: i] = bytes(len(range(i * i, n + 1, i)))
    return sum(flags)


def sieve_loop(n):
    flags = bytearray(n + 1)
    count = 0
    for i in range(2, n + 1):
        if not flags[i]:
            count += 1
            for j in range(i * i, n + 1, i):
                flags[j] = 1
    return count


def primes(n):
    found = []
    for candidate in range(2, n):
        if all(candidate % p for p in found if p * p <= candidate):
            found.append(candidate)
    return found


def perfect(n):
    return [k for k in range(2, n) if sum(d for d in range(1, k // 2 + 1) if k % d == 0) == k]


def collatz(n):
    best, length, known = 1, 1, {1: 1}
    for start in range(2, n):
        x, steps = start, 0
        while x not in known:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        known[start] = steps + known[x]
        if known[start] > length:
            best, length = start, known[start]
    return best, length


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def fib_memo(n, memo={}):
    if n in memo:
        return memo[n]
    memo[n] = n if n < 2 else fib_memo(n - 1) + fib_memo(n - 2)
    return memo[n]


def monte_carlo(n):
    rng = random.Random(1)
    inside = 0
    for _ in range(n):
        x, y = rng.random(), rng.random()
        if x * x + y * y <= 1.0:
            inside += 1
    return 4 * inside / n


def dice(n):
    random.seed(3)
    counts = [0] * 13
    for _ in range(n):
        counts[random.randint(1, 6) + random.randint(1, 6)] += 1
    return counts


def random_walk(n):
    random.seed(5)
    x = y = 0
    farthest = 0
    for _ in range(n):
        dx, dy = random.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
        x += dx
        y += dy
        farthest = max(farthest, abs(x) + abs(y))
    return x, y, farthest


def harmonic(n):
    total = Fraction(0)
    for i in range(1, n):
        total += Fraction(1, i)
    return total.numerator % 1000003


def compound(years):
    balance, rate = Decimal("1000.00"), Decimal("1.03")
    for _ in range(years):
        balance = (balance * rate).quantize(Decimal("0.01"))
    return str(balance)


def statistics(numbers):
    mean = sum(numbers) / len(numbers)
    variance = sum((x - mean) ** 2 for x in numbers) / len(numbers)
    ordered = sorted(numbers)
    median = ordered[len(ordered) // 2]
    return mean, math.sqrt(variance), median, min(numbers), max(numbers)


def newton(n):
    total = 0.0
    for k in range(1, n):
        x = k * 1.0
        while abs(x * x - k) > 1e-10:
            x = (x + k / x) / 2
        total += x
    return total


def simpson(f, a, b, n):
    h = (b - a) / n
    total = f(a) + f(b)
    for i in range(1, n):
        total += f(a + i * h) * (4 if i % 2 else 2)
    return total * h / 3


def integrate():
    return simpson(lambda x: math.sin(x) * math.exp(-x), 0.0, 3.0, 4000)


def kmeans(points, k, rounds):
    centers = points[:k]
    for _ in range(rounds):
        clusters = [[] for _ in range(k)]
        for x, y in points:
            nearest = min(range(k), key=lambda i: (x - centers[i][0]) ** 2 + (y - centers[i][1]) ** 2)
            clusters[nearest].append((x, y))
        centers = [
            (sum(x for x, _ in c) / len(c), sum(y for _, y in c) / len(c)) if c else centers[i]
            for i, c in enumerate(clusters)
        ]
    return [(round(x, 6), round(y, 6)) for x, y in centers]


def regression(xs, ys, rate, rounds):
    w = b = 0.0
    n = len(xs)
    for _ in range(rounds):
        dw = db = 0.0
        for x, y in zip(xs, ys):
            error = w * x + b - y
            dw += error * x
            db += error
        w -= rate * dw / n
        b -= rate * db / n
    return round(w, 6), round(b, 6)


def hanoi(n, a, b, c, moves):
    if n == 0:
        return
    hanoi(n - 1, a, c, b, moves)
    moves.append((a, c))
    hanoi(n - 1, b, a, c, moves)


def towers(n):
    moves = []
    hanoi(n, "a", "b", "c", moves)
    return len(moves), moves[:3]


def permutations(items):
    if len(items) <= 1:
        return [items]
    result = []
    for i in range(len(items)):
        for rest in permutations(items[:i] + items[i + 1 :]):
            result.append([items[i]] + rest)
    return result


def subsets(numbers, target):
    count = 0
    for mask in range(1 << len(numbers)):
        if sum(numbers[i] for i in range(len(numbers)) if mask >> i & 1) == target:
            count += 1
    return count


POINTS = [((i * 37 % 100) / 10.0, (i * 53 % 97) / 10.0) for i in range(150)]
XS = [i * 0.1 for i in range(100)]
YS = [3 * x + 1 for x in XS]
NUMBERS = [(i * 7919 % 1000) / 7 for i in range(2000)]


def bench_sieve():
    return sieve(50000)


def bench_sieve_loop():
    return sieve_loop(10000)


def bench_primes():
    return primes(800)


def bench_perfect():
    return perfect(300)


def bench_collatz():
    return collatz(4000)


def bench_fib():
    return fib(18)


def bench_fib_memo():
    return fib_memo(60)


def bench_pi():
    return monte_carlo(10000)


def bench_dice():
    return dice(2000)


def bench_walk():
    return random_walk(2000)


def bench_harmonic():
    return harmonic(150)


def bench_compound():
    return compound(200)


def bench_statistics():
    return statistics(NUMBERS)


def bench_newton():
    return newton(1000)


def bench_simpson():
    return integrate()


def bench_kmeans():
    return kmeans(POINTS, 4, 8)


def bench_regression():
    return regression(XS, YS, 0.01, 100)


def bench_towers():
    return towers(10)


def bench_permutations():
    return len(permutations([1, 2, 3, 4, 5, 6]))


def bench_subsets():
    return subsets([3, 34, 4, 12, 5, 2, 7, 8, 9, 10], 20)
