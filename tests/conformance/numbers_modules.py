# math, fractions, decimal, statistics, random with a seed.
import decimal
import fractions
import math
import random
import statistics

print(math.gcd(12, 18), math.factorial(20), math.isqrt(99), math.comb(5, 2), math.floor(-1.5), math.ceil(1.2), math.trunc(-2.7))
print(math.sqrt(2), math.exp(1), math.log(10), math.log2(8), math.sin(1), math.atan2(1, 2), math.hypot(3, 4), math.fsum([0.1] * 10))
print(fractions.Fraction(3, 4) + fractions.Fraction("1/3"), decimal.Decimal("0.1") + decimal.Decimal("0.2"), decimal.Decimal(1) / 3)
print(statistics.mean([1, 2, 4]), statistics.median([3, 1, 2]), round(statistics.stdev([1, 2, 3, 4]), 6))
random.seed(42)
print([random.randint(1, 100) for _ in range(5)], random.random(), random.choice("abc"), random.sample(range(10), 3))
l = list(range(6))
random.shuffle(l)
print(l, random.uniform(1, 2), round(random.gauss(0, 1), 9))
