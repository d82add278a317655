"""What a loop's condition computes from outside leaves the loop although the ways in come from different checkpoints."""
from snekpy import stage


@stage
def f(n, words):
    z = n % 2
    for word in words[:6]:
        if n >= 1:
            z = word
        elif z == 65536:
            z = n / 10
    print(z)
    h, k = 1, 1
    while k < ((n * -9223372036854775807) // 9223372036854775807 % 5003) % 150:
        h, k = h + h, k + 1
    return h % 4099


print(f(2, ["ab", 2, 12]))
