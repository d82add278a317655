# Long lists of numbers that are known one by one, until an item is put at an index that only the code knows.
from snekpy import stage


@stage
def tape(moves):
    cells, at = [0] * 60, 0
    for move in moves:
        if move > 0:
            at += move
        else:
            cells[at] = cells[at] - move
    return cells, at


@stage
def shared(n, i):
    a = [1] * 30
    b = a
    rows = [a, [2] * 30]
    for k in range(n):
        a[(i + k) % 30] += k
    return a is b, b[i], rows[0][i + 1], sum(b), max(rows[0]), len(a), a[-1]


@stage
def other_kinds(n, i, value):
    numbers = [5] * 20
    for k in range(n):
        numbers[(i * k) % 20] = value
    return numbers, numbers[i]


@stage
def caught(n, i):
    numbers = [0] * 25
    missed = 0
    for k in range(n):
        try:
            numbers[i + k] = k
        except IndexError as error:
            missed += 1
            last = str(error)
    return missed, last if missed else None, numbers.index(max(numbers)), numbers[:3], numbers[-2:]


@stage
def sieve():
    is_prime = [True] * 100
    is_prime[0] = is_prime[1] = False
    for n in range(2, 10):
        if is_prime[n]:
            for k in range(n * n, 100, n):
                is_prime[k] = False
    return [n for n, it in enumerate(is_prime) if it]


@stage
def letters(text):
    counts = [0] * 26
    for ch in text:
        if ch.isalpha():
            counts[ord(ch.lower()) - 97] += 1
    a, b, *rest = counts
    return a, b, len(rest), tuple(counts), sorted(counts)[-3:]


@stage
def handed_out(n, out):
    numbers = [1.5] * 18
    out.append(numbers)
    for k in range(n):
        numbers[k % 18] = k / 2
        if k % 7 == 3:
            out.append(numbers[:])
    for it in numbers:
        if it > 3:
            break
    return it, out[0] is numbers


@stage
def while_iterated(n, i):
    numbers = [0] * 20
    seen = []
    for k, it in enumerate(numbers):
        seen.append(it)
        numbers[(i + k * n) % 20] = k
    return seen, numbers


@stage
def recursive(numbers, depth, at):
    if depth == 0:
        return sum(numbers)
    numbers[at % 24] += depth
    return recursive(numbers, depth - 1, at + 5) + numbers[at % 24]


@stage
def begins(n, at):
    return recursive([0] * 24, n, at)


for moves in [1, 2, -3, -4, 5, -1], [0] * 8, [59, -1], [60, -1], list(range(-5, 9)):
    try:
        print(tape(moves))
    except IndexError as error:
        print(error)
for n, i in (0, 3), (7, 0), (100, 28):
    print(shared(n, i))
for value in 7, 2.5, True, None, "x", 2**70:
    print(other_kinds(3, 7, value))
for n, i in (3, 1), (10, 20), (60, -30):
    print(caught(n, i))
print(sieve())
for text in "", "Hello, world", "The quick brown fox jumps over the lazy dog":
    print(letters(text))
for n in 0, 5, 40:
    out = []
    print(handed_out(n, out), out)
for n, i in (1, 1), (3, 0), (-1, 19):
    print(while_iterated(n, i))
for n, at in (0, 0), (9, 3), (40, 17):
    print(begins(n, at))
