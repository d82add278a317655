# stdlib: the distributions of `random.Random`, seeded, with staged parameters.
import random

from support import show


def uniform(seed, a, b):
    rng = random.Random(seed)
    return rng.uniform(a, b), rng.uniform(b, a)


def gauss(seed, mu, sigma):
    rng = random.Random(seed)
    return rng.gauss(mu, sigma), rng.gauss(mu, sigma), rng.gauss(mu, sigma)


def normalvariate(seed, mu, sigma):
    rng = random.Random(seed)
    return rng.normalvariate(mu, sigma), rng.normalvariate(mu, sigma)


def lognormvariate(seed, mu, sigma):
    return random.Random(seed).lognormvariate(mu, sigma)


def expovariate(seed, lambd):
    rng = random.Random(seed)
    return rng.expovariate(lambd), rng.expovariate(lambd)


def triangular(seed, low, high, mode):
    rng = random.Random(seed)
    return rng.triangular(low, high, mode), rng.triangular(low, high)


def betavariate(seed, alpha, beta):
    rng = random.Random(seed)
    return rng.betavariate(alpha, beta), rng.betavariate(beta, alpha)


def gammavariate(seed, alpha, beta):
    rng = random.Random(seed)
    return rng.gammavariate(alpha, beta), rng.gammavariate(alpha, beta)


def vonmisesvariate(seed, mu, kappa):
    rng = random.Random(seed)
    return rng.vonmisesvariate(mu, kappa), rng.vonmisesvariate(mu, kappa)


def paretovariate(seed, alpha):
    return random.Random(seed).paretovariate(alpha)


def weibullvariate(seed, alpha, beta):
    return random.Random(seed).weibullvariate(alpha, beta)


def randint(seed, a, b):
    rng = random.Random(seed)
    return [rng.randint(a, b) for _ in range(4)]


def randrange(seed, start, stop, step):
    rng = random.Random(seed)
    return rng.randrange(start, stop, step), rng.randrange(stop)


def choice(seed, x):
    rng = random.Random(seed)
    return rng.choice([x, x + 1, x + 2]), rng.choice("abc")


def choices(seed, x, k):
    rng = random.Random(seed)
    return rng.choices([x, 2, 3], k=k), rng.choices([x, 2, 3], weights=[1, 2, 3], k=k)


def sample(seed, x, k):
    return random.Random(seed).sample([x, 2, 3, 4], k)


def sample_range(seed, n, k):
    return random.Random(seed).sample(range(n), k)


def shuffled(seed, x):
    items = [x, 2, 3, 4, 5]
    random.Random(seed).shuffle(items)
    return items


def bits(seed, k):
    rng = random.Random(seed)
    return rng.getrandbits(k), rng.randbytes(3).hex()


def reseeded(seed, n):
    rng = random.Random(seed)
    first = rng.random()
    for _ in range(n):
        rng.random()
    rng.seed(seed)
    return first == rng.random(), rng.random()


def restored(seed, x):
    rng = random.Random(seed)
    state = rng.getstate()
    first = rng.uniform(0, x)
    rng.setstate(state)
    return first == rng.uniform(0, x), first


def walk(seed, steps):
    rng, place = random.Random(seed), 0.0
    for _ in range(steps):
        place += rng.uniform(-1, 1)
    return place


OUTSIDE = random.Random(1)


def draws(x):
    return OUTSIDE.uniform(0, x), OUTSIDE.gauss(x, 1), OUTSIDE.randrange(x + 10)


show(uniform, (1, 0, 1), (2, 0, 1), (1, -5.5, 10), (1, 3, 3), (-7, 0, 0))
show(gauss, (1, 0, 1), (2, 0, 1), (1, 10.5, 2), (1, 3, 0), (0, 1, -1))
show(normalvariate, (1, 0, 1), (2, 0, 1), (1, 10.5, 2), (1, 3, 0))
show(lognormvariate, (1, 0, 1), (2, 0, 1), (1, 1.5, 2), (1, 3, 0), (1, 1000, 0))
show(expovariate, (1, 1), (2, 1), (1, 0.5), (1, -2), (1, 0))
show(triangular, (1, 0, 1, 0.5), (2, 0, 10, 3), (1, -1.5, 1, 1), (1, 3, 3, 3))
show(betavariate, (1, 1, 1), (2, 2, 5), (1, 0.5, 0.5), (1, 1, 3.5))
show(gammavariate, (1, 1, 1), (2, 2, 5), (1, 0.5, 0.5), (1, 1.0, 3.5), (1, 0, 1), (1, 1, -1))
show(vonmisesvariate, (1, 0, 1), (2, 1, 4), (1, 3.5, 0), (1, 0.5, 0.25))
show(paretovariate, (1, 1), (2, 3), (1, 0.5), (1, 0))
show(weibullvariate, (1, 1, 1), (2, 3, 0.5), (1, 0.5, 2), (1, 1, 0))
show(randint, (1, 1, 6), (2, 1, 6), (1, -3, 3), (1, 5, 5))
show(randrange, (1, 0, 10, 2), (2, 5, 50, 5), (1, -9, 9, 3))
show(choice, (1, 1), (2, 1.5), (3, -1))
show(choices, (1, 1, 3), (2, 1.5, 2), (3, -1, 0))
show(sample, (1, 1, 3), (2, 1.5, 2), (3, -1, 0), (1, 1, 5), (1, 1, -1))
show(sample_range, (1, 10, 3), (2, 100, 2), (3, 1, 1), (1, 2, 3))
show(shuffled, (1, 1), (2, 1.5), (3, -1))
show(bits, (1, 8), (2, 16), (3, 1), (1, 0), (1, -1))
show(reseeded, (1, 3), (2, 0), (3, 10), (0, 1))
show(restored, (1, 3), (2, 0), (3, 10.5))
show(walk, (1, 100), (2, 1), (1, 0), (1, -1))
show(draws, 1, 2, 3, 1, 0, -20)

# A method of one generator, staged: every call goes on where the last one ended.
show(OUTSIDE.uniform, (0, 1), (5, 6), (-1.5, 1), (2, 2))
show(OUTSIDE.expovariate, 1, 2, 0.5)
show(OUTSIDE.triangular, (0, 1), (5, 6, 5.5), (-1.5, 1, 0))
OUTSIDE.seed(5)
show(OUTSIDE.betavariate, (1, 1), (5, 6), (0.5, 1))
OUTSIDE.seed(5)
show(OUTSIDE.gauss, (1, 1), (5, 6), (0.5, 1))
show(OUTSIDE.randrange, 10, 1, 1000)
