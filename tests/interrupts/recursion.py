# Functions that stay functions of the code: all their frames are in the traceback, and what the inner ones have written
# is later than what the outer ones have.
#@ change numbers[1] = 1000
def fib(numbers, n):
    numbers[0] = numbers[0] + 1
    if n < 2:
        return n
    first = fib(numbers, n - 1)
    numbers[1] = numbers[1] + n
    return first + fib(numbers, n - 2)


def recursive(numbers, trail, n):
    total = 0
    try:
        for i in range(n):
            trail[0] = i
            total = total + fib(numbers, i % 5)
    finally:
        trail.append(total)
    return total


numbers, trail = array.array("q", [0, 0]), [0]
staged = stage(recursive)
interrupted(POLLS, CHANGE, lambda: staged(numbers, trail, 9), "numbers", "trail")
interrupted(POLLS, CHANGE, lambda: staged(numbers, trail, 11), "numbers", "trail")
