# Gradients in staged code: an interrupt finds them not begun, whether it comes on the way there or on the way back; what
# was done before is there.
#@ change numbers[1] = 3
from snekpy import grad


def inner(x, n):
    y = x
    for i in range(n):
        y = y * 0.5 + x * 0.1 * i
        if y > 100.0:
            break
    return y * y


def descend(numbers, trail, n):
    x = 1.0
    for i in range(n):
        numbers[0] = numbers[0] + 1
        x = x - 0.1 * grad(inner)(x, i + numbers[1])
        trail.append(x)
    return x


numbers, trail = array.array("q", [0, 1]), [0.0]
staged = stage(descend)
interrupted(POLLS, CHANGE, lambda: staged(numbers, trail, 4), "numbers", "trail")
interrupted(POLLS, CHANGE, lambda: staged(numbers, trail, 5), "numbers", "trail")
