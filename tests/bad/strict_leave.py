# With strict="leave" the interpreter may carry out instructions for compiled code, but nothing is left to plain Python.
import sys

from snekpy import stage


@stage(strict="leave")
def lengths(text, n):
    counts = {}
    total = 0
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    for i in range(n):
        total += len(counts)
        sys._getframe()
    return total


print(lengths("the cat and the dog " * 4, 9))
