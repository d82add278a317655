# What a call has changed before an exception leaves a recursive function stays changed, whatever other paths changed.
from support import show

taken = 1.5
count = 3
log = [0]


def divided(n):
    if n <= 0:
        return 10 // n
    return divided(n - 1) + 2


def one_branch(n, x):
    global taken
    if n > 3:
        taken = taken - x
    else:
        divided(-n)
    return divided(n)


def either_branch(n, x):
    global taken, count
    if count == n:
        count = 6 + divided(-1)
    else:
        taken = -(taken - x)
    log.append(n)
    return divided(n)


def in_a_loop(n, x):
    global count
    total = 0
    for i in range(n):
        total += divided(-1 - i)
        count += 1
        if i == 2:
            log[0] = total
            total += divided(n)
    return total


for function in (one_branch, either_branch, in_a_loop):
    for n in (-1, 2, 3, 5):
        show(function, (n, 0.5))
        print("   ", taken, count, log)
