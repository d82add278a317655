"""Whether a text is empty is its length: also in a function that stays a function, such as one that swaps its arguments."""
from snekpy import stage


@stage
def distance(s, t):
    if len(s) < len(t):
        return distance(t, s)
    if not t:
        return len(s)
    row = list(range(len(t) + 1))
    for i, a in enumerate(s):
        new = [i + 1]
        for j, b in enumerate(t):
            new.append(min(row[j + 1] + 1, new[j] + 1, row[j] + (a != b)))
        row = new
    return row[-1]


@stage
def filled(words, n):
    count = 0
    for word in words:
        if word:
            count += n
        elif not word and n:
            count -= 1
        count += bool(word and n > 1)
    return count


@stage
def of_bytes(data, n):
    return n if data else -n


WORDS = ["kitten", "", "sitting", "sunday", "Saturday", "é", "rosettacode", "raisethysword", "\0", " "]
print([[distance(a, b) for a in WORDS] for b in WORDS])
for n in range(3):
    print([filled(WORDS[k:], n) for k in range(len(WORDS))], [of_bytes(word.encode(), n) for word in WORDS])
