# Three nested loops over flat arrays.
from array import array

from snekpy import stage


def matmul(a, b, c, n, m, k):
    for i in range(n):
        for j in range(k):
            s = 0.0
            for l in range(m):
                s += a[i * m + l] * b[l * k + j]
            c[i * k + j] = s


a = array("d", [i * 0.5 - 3 for i in range(12)])
b = array("d", [i * i * 0.1 for i in range(20)])
c = array("d", [0.0] * 15)
stage(matmul)(a, b, c, 3, 4, 5)
print(c.tolist())
