# The Snek paper, 6.3: the condition of a loop with an effect happens once for each test.
from snekpy import stage


def test(x, n):
    print("test", x)
    return x < n


@stage
def count(n):
    x = 0
    while test(x, n):
        x = x + 1
    return x


print(count(2))
print(count(0))
