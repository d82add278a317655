import cmath
import math


def fir(xs, taps):
    out = []
    for i in range(len(xs)):
        total = 0.0
        for k, tap in enumerate(taps):
            if i - k >= 0:
                total += tap * xs[i - k]
        out.append(total)
    return out


class Biquad:
    def __init__(self, b, a):
        self.b, self.a = b, a
        self.x1 = self.x2 = self.y1 = self.y2 = 0.0

    def step(self, x):
        b0, b1, b2 = self.b
        a1, a2 = self.a
        y = b0 * x + b1 * self.x1 + b2 * self.x2 - a1 * self.y1 - a2 * self.y2
        self.x2, self.x1 = self.x1, x
        self.y2, self.y1 = self.y1, y
        return y


def run_filter(xs):
    low = Biquad((0.2, 0.4, 0.2), (-0.5, 0.25))
    return [low.step(x) for x in xs]


def fft(xs):
    n = len(xs)
    if n == 1:
        return list(xs)
    even, odd = fft(xs[0::2]), fft(xs[1::2])
    out = [0] * n
    for k in range(n // 2):
        t = cmath.exp(-2j * cmath.pi * k / n) * odd[k]
        out[k] = even[k] + t
        out[k + n // 2] = even[k] - t
    return out


def goertzel(xs, k):
    w = 2 * math.pi * k / len(xs)
    c = 2 * math.cos(w)
    s1 = s2 = 0.0
    for x in xs:
        s1, s2 = x + c * s1 - s2, s1
    return s1 * s1 + s2 * s2 - c * s1 * s2


def peaks(xs, threshold):
    found = []
    for i in range(1, len(xs) - 1):
        if xs[i] > threshold and xs[i - 1] < xs[i] >= xs[i + 1]:
            found.append(i)
    return found


def zero_crossings(xs):
    n = 0
    for a, b in zip(xs, xs[1:]):
        if (a < 0) != (b < 0):
            n += 1
    return n


def envelope(xs, attack, release):
    level = 0.0
    out = []
    for x in xs:
        x = abs(x)
        rate = attack if x > level else release
        level += (x - level) * rate
        out.append(level)
    return out


def quantise(xs, bits):
    top = 2 ** (bits - 1) - 1
    return [max(-top - 1, min(top, round(x * top))) for x in xs]


def run_lengths(bits):
    runs = []
    for bit in bits:
        if runs and runs[-1][0] == bit:
            runs[-1][1] += 1
        else:
            runs.append([bit, 1])
    return runs


XS = [math.sin(i * 0.3) + 0.3 * math.sin(i * 1.9) for i in range(512)]


def bench_fir():
    return sum(fir(XS, [0.1, 0.2, 0.4, 0.2, 0.1]))


def bench_filter():
    return run_filter(XS)[-1]


def bench_fft():
    return sum(abs(x) for x in fft(XS[:128]))


def bench_goertzel():
    return [goertzel(XS, k) for k in range(8)]


def bench_peaks():
    return peaks(XS, 0.5), zero_crossings(XS)


def bench_envelope():
    return envelope(XS, 0.5, 0.05)[-1], sum(quantise(XS, 8)), len(run_lengths([x > 0 for x in XS]))
