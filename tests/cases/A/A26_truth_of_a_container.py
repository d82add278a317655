# A26: a list, tuple or string as a condition: true when it is not empty.
from support import show


def of(l):
    if l:
        return l[0]
    return -1


show(of, [], [7], [0, 1], ((),), ((5, 6),), "", "word")
