# H07: a comprehension in a comprehension.
from support import show


def transposed(m):
    return [[row[i] for row in m] for i in range(2)]


show(transposed, [[1, 2], [3, 4], [5, 6]], [[0.5, 1]])
