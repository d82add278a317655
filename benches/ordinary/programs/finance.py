import math


def schedule(principal, rate, months):
    payment = principal * rate / (1 - (1 + rate) ** -months)
    rows = []
    balance = principal
    for month in range(1, months + 1):
        interest = balance * rate
        balance = balance + interest - payment
        rows.append((month, round(interest, 2), round(balance, 2)))
    return payment, rows


def npv(rate, flows):
    total = 0.0
    for t, flow in enumerate(flows):
        total += flow / (1 + rate) ** t
    return total


def irr(flows, low=-0.9, high=1.0):
    for _ in range(100):
        mid = (low + high) / 2
        value = npv(mid, flows)
        if abs(value) < 1e-9:
            break
        if value > 0:
            low = mid
        else:
            high = mid
    return mid


def phi(x):
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def black_scholes(spot, strike, rate, vol, time, kind):
    d1 = (math.log(spot / strike) + (rate + vol * vol / 2) * time) / (vol * math.sqrt(time))
    d2 = d1 - vol * math.sqrt(time)
    if kind == "call":
        return spot * phi(d1) - strike * math.exp(-rate * time) * phi(d2)
    return strike * math.exp(-rate * time) * phi(-d2) - spot * phi(-d1)


def implied(price, spot, strike, rate, time):
    low, high = 0.001, 5.0
    while high - low > 1e-8:
        vol = (low + high) / 2
        if black_scholes(spot, strike, rate, vol, time, "call") > price:
            high = vol
        else:
            low = vol
    return low


class Portfolio:
    def __init__(self, cash):
        self.cash = cash
        self.shares = {}
        self.log = []

    def buy(self, name, count, price):
        cost = count * price
        if cost > self.cash:
            raise ValueError("not enough cash")
        self.cash -= cost
        self.shares[name] = self.shares.get(name, 0) + count
        self.log.append(("buy", name, count))

    def sell(self, name, count, price):
        held = self.shares.get(name, 0)
        count = min(count, held)
        self.cash += count * price
        self.shares[name] = held - count
        self.log.append(("sell", name, count))

    def value(self, prices):
        return self.cash + sum(count * prices[name] for name, count in self.shares.items())


def trade(days):
    book = Portfolio(10_000.0)
    prices = {"A": 10.0, "B": 25.0, "C": 7.5}
    refused = 0
    for day in range(days):
        for k, name in enumerate(prices):
            prices[name] *= 1 + math.sin(day * (k + 1)) / 50
        try:
            if day % 3 == 0:
                book.buy("ABC"[day % 3], 20 + day % 7, prices["ABC"[day % 3]])
            else:
                book.sell("ABC"[day % 2], 5, prices["ABC"[day % 2]])
        except ValueError:
            refused += 1
    return round(book.value(prices), 6), refused, len(book.log)


def crossover(prices, fast, slow):
    signals = []
    position = 0
    for i in range(slow, len(prices)):
        a = sum(prices[i - fast : i]) / fast
        b = sum(prices[i - slow : i]) / slow
        if a > b and position <= 0:
            signals.append((i, "buy"))
            position = 1
        elif a < b and position >= 0:
            signals.append((i, "sell"))
            position = -1
    return signals


def monte_carlo(paths, steps, seed):
    total = 0.0
    for _ in range(paths):
        price = 100.0
        for _ in range(steps):
            seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
            price *= 1.0 + ((seed >> 33) / 2**31 - 0.5) * 0.02
        total += max(price - 100.0, 0.0)
    return total / paths


PRICES = [100 + 10 * math.sin(i / 9) + i % 5 for i in range(400)]


def bench_schedule():
    return schedule(250_000, 0.004, 360)[1][-1]


def bench_irr():
    return irr([-1000] + [90 + i for i in range(24)])


def bench_options():
    return implied(12.5, 100, 105, 0.02, 1.5), black_scholes(100, 95, 0.01, 0.3, 0.5, "put")


def bench_trade():
    return trade(300)


def bench_crossover():
    return crossover(PRICES, 5, 20)


def bench_monte_carlo():
    return monte_carlo(40, 50, 1)
