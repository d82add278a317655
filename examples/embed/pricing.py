"""Prices of options, as a quant might hand them to the Rust service that needs them."""

import market


def binomial(spot, strike, rate, volatility, years, steps):
    """The price of a European call on a tree with `steps` levels, without storing the tree."""
    dt = years / steps
    up = 1.0 + volatility * dt ** 0.5
    down = 1.0 / up
    growth = 1.0 + rate * dt
    p = (growth - down) / (up - down)
    # The probability of k ups in n steps, from one k to the next.
    probability = (1.0 - p) ** steps
    price = 0.0
    level = spot * down ** steps
    for k in range(steps + 1):
        if level > strike:
            price = price + probability * (level - strike)
        probability = probability * (steps - k) / (k + 1) * p / (1.0 - p)
        level = level * up / down
    return price / growth ** steps


def report(symbol):
    spot = market.spot(symbol)
    price = binomial(spot, 100.0, 0.02, 0.2, 1.0, 200)
    print(f"{symbol}: spot {spot:.2f}, call at 100 costs {price:.4f}")
    return {"symbol": symbol, "spot": spot, "price": price}
