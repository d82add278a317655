# Division by zero in a function that a staged function calls.
from snekpy import stage


def rate(total, count):
    return total // count


@stage
def report(total, count):
    if total > 0:
        return rate(total, count)
    return 0


print(report(10, 3))
print(report(10, 0))
