# A range that is passed is known by its numbers, and comes back as the object that it is.
from snekpy import stage


@stage
def total(numbers, x):
    t = 0
    for i in numbers:
        t += i * x
    return t, numbers, len(numbers), numbers == range(3), 2 in numbers


calls = []
for stop in [3, 3, 5, 3, 5]:
    passed = range(stop)
    t, given, *rest = total(passed, 2)
    print(t, given, given is passed, rest)
    calls.append(given)
print(calls[0] is calls[1], total(range(0, 10, 3), 1), total(range(2**70, 2**70 + 2), 1)[2:])
