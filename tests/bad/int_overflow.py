# An int that leaves 64 bits in a recursive function, after something was printed: the call can neither begin anew nor
# go on as plain Python, and says so.
from snekpy import stage


@stage
def factorial(n):
    if n < 2:
        return 1
    print(end=".")
    return n * factorial(n - 1)


print(factorial(20))
print(factorial(21))
