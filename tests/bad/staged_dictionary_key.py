# A staged number as a key.
from snekpy import stage

PRICES = {1: 10, 2: 25}


@stage
def price(x):
    return PRICES[x] * 2


print(price(2))
print(price(3))
