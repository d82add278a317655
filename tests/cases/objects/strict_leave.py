# `strict="leave"`: crossings are allowed, and what compiled code would be left for is refused (tests/bad/strict_leave.py).
import collections
import io

from snekpy import stage

out = io.StringIO()


@stage(strict="leave")
def report(text, n):
    counts, line = {}, collections.deque()
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
        line.append((len(word), word))
        if len(line) > 3:
            line.popleft()
    total = 0.0
    for i in range(n):
        total += i * 0.5
        if i % 50 == 0:
            out.write(f"{i} {total}\n")
    return sorted(counts.items()), list(line), total


for number in range(4):
    print(report("the cat and the dog " * (3 + number), 100 + number))
print(out.getvalue(), end="")
