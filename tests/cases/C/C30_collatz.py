# C: the loop of Collatz, a `while` over an int that halves or grows.
from support import show


def steps(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


show(steps, 1, 6, 7, 27, 97)
