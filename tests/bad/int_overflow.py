# An int that leaves 64 bits after something was printed: compiled code cannot begin anew, and says so.
from snekpy import stage


@stage
def factorial(n):
    product = 1
    while n > 1:
        product *= n
        print(end=".")
        n -= 1
    return product


print(factorial(20))
print(factorial(21))
