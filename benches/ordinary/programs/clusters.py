import random


def data(n):
    r = random.Random(4)
    return [(r.gauss(i % 3 * 5, 1), r.gauss(i % 3 * -3, 1)) for i in range(n)]


def dist2(p, q):
    return sum((a - b) ** 2 for a, b in zip(p, q))


def assign(points, centers):
    return [min(range(len(centers)), key=lambda k: dist2(p, centers[k])) for p in points]


def update(points, labels, k):
    out = []
    for j in range(k):
        members = [p for p, l in zip(points, labels) if l == j]
        if members:
            out.append(tuple(sum(c) / len(members) for c in zip(*members)))
        else:
            out.append((0.0, 0.0))
    return out


def kmeans(points, k, rounds=5):
    centers = points[:k]
    for _ in range(rounds):
        labels = assign(points, centers)
        centers = update(points, labels, k)
    return centers, labels


def sgd(xs, ys, rate=0.01, epochs=20):
    w = b = 0.0
    for _ in range(epochs):
        for x, y in zip(xs, ys):
            e = w * x + b - y
            w -= rate * e * x
            b -= rate * e
    return round(w, 9), round(b, 9)


def perceptron(samples, epochs=10):
    w = [0.0] * (len(samples[0][0]) + 1)
    errors = 0
    for _ in range(epochs):
        errors = 0
        for x, t in samples:
            s = w[0] + sum(wi * xi for wi, xi in zip(w[1:], x))
            o = 1 if s > 0 else 0
            if o != t:
                errors += 1
                w[0] += t - o
                for i, xi in enumerate(x):
                    w[i + 1] += (t - o) * xi
    return w, errors


def pearson(xs, ys):
    n = len(xs)
    mx, my = sum(xs) / n, sum(ys) / n
    sxy = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    sx = sum((x - mx) ** 2 for x in xs) ** 0.5
    sy = sum((y - my) ** 2 for y in ys) ** 0.5
    return sxy / (sx * sy)


P = data(150)


def bench():
    return kmeans(P, 3)


def bench_sgd():
    xs = [i / 50 for i in range(100)]
    return sgd(xs, [3 * x + 1 for x in xs])


def bench_perceptron():
    return perceptron([((a, b, c), 1 if a + b > c else 0) for a in range(4) for b in range(4) for c in range(4)])


def bench_pearson():
    return pearson([p[0] for p in P], [p[1] for p in P])
