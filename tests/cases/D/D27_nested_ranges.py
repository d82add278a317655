# D: triangular loops over staged bounds.
from support import show


def triangle(n):
    s = 0
    for i in range(n):
        for j in range(i, n):
            s += i * j
    return s


def triples(n):
    count = 0
    for a in range(1, n):
        for b in range(a, n):
            for c in range(b, n):
                if a * a + b * b == c * c:
                    count += 1
    return count


show(triangle, 5, 1, 0)
show(triples, 21, 3)
