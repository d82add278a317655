# while, for, else, break, continue, nested.
for i in range(3):
    for j in range(3):
        if j == 2:
            break
        if (i + j) % 2:
            continue
        print(i, j)
    else:
        print("never")
else:
    print("done", i, j)
n = 10
while n:
    n -= 3
    if n < 0:
        print("below", n)
        break
else:
    print("zero")
for a, (b, *c) in [(1, (2, 3, 4)), (5, (6,))]:
    print(a, b, c)
for i, v in enumerate(reversed("abc"), -1):
    print(i, v, end=" ")
print()
for i in range(10, 0, -4):
    print(i, end=",")
print(list(range(5))[-2:], range(0, 10, 3)[2], 6 in range(0, 10, 3), len(range(10**12)), range(3) == range(0, 3, 1))
d = {"a": 1}
try:
    for k in d:
        d[k + "x"] = 1
except RuntimeError as error:
    print(type(error).__name__)
