# An int that leaves 64 bits: plain Python goes on, staged code says that it cannot.
from snekpy import stage


@stage
def factorial(n):
    product = 1
    while n > 1:
        product *= n
        n -= 1
    return product


print(factorial(20))
print(factorial(21))
