"""Whether the lists that a long call makes and drops give their memory back before it ends.

    snekpy -X snek:stage=always lists.py

Compiled code makes a grid in each step of one call, three gigabytes in all, of which two are in use at a time. Prints the
peak of the process in KiB.
"""

import resource

from snekpy import stage


@stage
def diffused(n, steps):
    grid = [[float(i * j % 7) for j in range(n)] for i in range(n)]
    for _ in range(steps):
        new = [[0.0] * n for _ in range(n)]
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                new[i][j] = 0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1])
        grid = new
    return grid


diffused(400, 2400)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
