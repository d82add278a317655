# M04: one program, run plainly and staged in the same process, gives the same for many arguments.
from snekpy import stage


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def classify(x, y, text):
    found = None
    trail = []
    for step in (1, 2, 3):
        if x > y:
            x -= step
            trail.append("x")
        elif x == y:
            found = step
            break
        else:
            y = y - step if step % 2 else y // 2
            trail.append(text)
    else:
        if x and y:
            return gcd(int(x), int(y)), trail
        text = text.upper()
    try:
        ratio = x / y
    except ZeroDivisionError:
        ratio = None
    return found, text, ratio, trail


def collatz(n, limit):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps >= limit:
            raise RuntimeError("limit", n)
    return steps


def outcome(function, *args):
    try:
        result = function(*args)
    except Exception as error:
        return type(error).__name__, error.args
    return type(result).__name__, repr(result)


def compare(function, calls):
    staged = stage(function)
    different = [args for args in calls if outcome(function, *args) != outcome(staged, *args)]
    print(function.__name__, len(calls), "calls, different:", different)


numbers = (-3, -1, 0, 1, 2, 7, 0.5, 2.0, True)
compare(classify, [(x, y, text) for x in numbers for y in numbers for text in ("a", "bc")])
compare(collatz, [(n, limit) for n in range(1, 30) for limit in (1, 10, 200)])
compare(gcd, [(a, b) for a in numbers for b in numbers])
print(outcome(classify, 7, 7, "a"), outcome(collatz, 27, 50), gcd(12, 18))
