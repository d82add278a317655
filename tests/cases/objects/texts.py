# Texts that another call brings, that a call makes, and that grow: objects in compiled code.
from snekpy import stage


@stage
def caesar(text, k):
    res = ""
    for c in text:
        if c.isalpha() and c.islower():
            res += chr((ord(c) - 97 + k) % 26 + 97)
        else:
            res += c
    return res


for i in range(9):
    print(caesar("Hello, world %s!" % ("xyz" * i), i))


@stage
def words(text):
    counts = {}
    order = []
    for w in text.lower().split():
        w = w.strip(".,!")
        if w not in counts:
            order.append(w)
        counts[w] = counts.get(w, 0) + 1
    return [(w, counts[w]) for w in order]


for text in ["a b a", "A cat, a dog.", "", "x! x. x,", "one two", "two one two", "p q", "q"]:
    print(words(text))


@stage
def compare(a, b):
    return a == b, a < b, a != b, a in b, a is None, len(a) + len(b), a + "-" + b, a * 2, b[0:1], bool(a)


for a, b in [("a", "b"), ("", "x"), ("ab", "ab"), ("z", "azz"), ("q", ""), ("rr", "r"), ("m", "n")]:
    print(compare(a, b))


@stage
def index(text, i):
    try:
        return text[i]
    except IndexError as e:
        return str(e)


for text, i in [("abc", 0), ("abd", 5), ("xyz", -1), ("", 0), ("pqrs", 3), ("mn", -3)]:
    print(index(text, i))


@stage
def report(n):
    lines = []
    for i in range(n):
        x = i * 0.5
        lines.append(f"{i}: {x:.2f}" + ("!" if i % 3 == 0 else ""))
    return "\n".join(lines)


print(report(3))
print(len(report(300)), report(300)[-12:])


@stage
def numbers(text):
    total = 0
    for part in text.split(","):
        try:
            total += int(part)
        except ValueError as e:
            print("skipped", e)
    return total


for text in ["1,2,3", "4,x,5", "", "10", "7,8", "99999999999999999999,1"]:
    print(numbers(text))
