import math


def describe(xs):
    n = len(xs)
    mean = sum(xs) / n
    var = sum((x - mean) ** 2 for x in xs) / (n - 1)
    ys = sorted(xs)
    mid = n // 2
    median = ys[mid] if n % 2 else (ys[mid - 1] + ys[mid]) / 2
    return {"n": n, "mean": mean, "sd": math.sqrt(var), "median": median, "min": ys[0], "max": ys[-1]}


def histogram(xs, bins):
    low, high = min(xs), max(xs)
    width = (high - low) / bins or 1.0
    counts = [0] * bins
    for x in xs:
        i = int((x - low) / width)
        if i == bins:
            i -= 1
        counts[i] += 1
    return counts


def correlation(xs, ys):
    n = len(xs)
    mx, my = sum(xs) / n, sum(ys) / n
    sxy = sxx = syy = 0.0
    for x, y in zip(xs, ys):
        sxy += (x - mx) * (y - my)
        sxx += (x - mx) ** 2
        syy += (y - my) ** 2
    return sxy / math.sqrt(sxx * syy)


def linear_fit(points):
    n = len(points)
    sx = sum(x for x, _ in points)
    sy = sum(y for _, y in points)
    sxx = sum(x * x for x, _ in points)
    sxy = sum(x * y for x, y in points)
    slope = (n * sxy - sx * sy) / (n * sxx - sx * sx)
    return slope, (sy - slope * sx) / n


def rolling(xs, k):
    out = []
    total = 0.0
    for i, x in enumerate(xs):
        total += x
        if i >= k:
            total -= xs[i - k]
        if i >= k - 1:
            out.append(total / k)
    return out


def mode(xs):
    counts = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    best = max(counts.values())
    return sorted(x for x, c in counts.items() if c == best)


def percentiles(xs, ps):
    ys = sorted(xs)
    out = []
    for p in ps:
        pos = (len(ys) - 1) * p / 100
        low = math.floor(pos)
        frac = pos - low
        out.append(ys[low] if frac == 0 else ys[low] * (1 - frac) + ys[low + 1] * frac)
    return out


def table(rows):
    width = max(len(name) for name, _ in rows)
    lines = []
    for name, values in rows:
        lines.append(f"{name:<{width}} | " + " ".join(f"{v:8.3f}" for v in values))
    return "\n".join(lines)


XS = [math.sin(i * 1.7) * 10 + i % 7 for i in range(2000)]
YS = [x * 0.5 + math.cos(i) for i, x in enumerate(XS)]
INTS = [i * i % 37 for i in range(3000)]


def bench_describe():
    return [describe(XS[i:]) for i in range(4)]


def bench_histogram():
    return histogram(XS, 20)


def bench_correlation():
    return correlation(XS, YS), linear_fit(list(zip(XS, YS)))


def bench_rolling():
    return rolling(XS, 12)[-3:], mode(INTS), percentiles(XS, [5, 25, 50, 75, 95])


def bench_table():
    return table([("row%d" % i, XS[i : i + 6]) for i in range(60)])
