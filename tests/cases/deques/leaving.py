# Deques in calls that are left in the middle: by what is printed, by numbers past 64 bits, by exceptions and in handlers.
from collections import deque

from snekpy import stage
from support import show


def printed(n):
    q = deque([0])
    for i in range(n):
        q.append(i)
        if i % 7 == 3:
            print("at", i, "with", len(q))
        if len(q) > 4:
            q.popleft()
    return q


def shown(n):
    q = deque(maxlen=3)
    for i in range(n):
        q.append((i, i * 0.5))
        if i == 8:
            print(q)
    return q


def large(n):
    q = deque([1])
    for i in range(n):
        q.append(q[-1] * 3 + i)
        if i % 2:
            q.popleft()
    return q


def raising(n):
    q = deque()
    for i in range(n):
        q.append(i)
        if i > 5:
            q.popleft()
        if i == 12:
            raise ValueError(list(q))
    return q


def handled(n):
    q = deque()
    lost = 0
    for i in range(n):
        try:
            if i % 3 == 0:
                q.append(10 // (i % 2))
            else:
                q.append(i)
                q.popleft()
                q.popleft()
        except ZeroDivisionError:
            lost += 1
            q.append(-1)
        except IndexError as error:
            lost += len(str(error))
    return q, lost


def finally_(n):
    q = deque()
    try:
        for i in range(n):
            q.append(i)
            if i == 9:
                return q
    finally:
        q.appendleft(-1)
    return q


def texts(n):
    q = deque()
    for i in range(n):
        q.append(i)
    q.append("a text")
    q.appendleft(None)
    return q


def changes_kind(n):
    q = deque()
    out = []
    for i in range(n):
        q.append(i if i != 20 else "twenty")
        if len(q) > 3:
            out.append(q.popleft())
    return out, q


def aliases(n):
    q = deque()
    other = q
    pair = (q, q)
    for i in range(n):
        q.append(i)
        if i % 3 == 0:
            other.popleft()
        if i == 10:
            print("here")
    return q is other, pair, other is pair[0], [q, other]


def twice(n):
    q = deque()
    r = q if n % 2 else deque()
    for i in range(n):
        q.append(i)
        r.append(-i)
    return q is r, q, r


def words(text):
    q = deque()
    for word in text.split():
        q.append(word)
        if len(q) > 2:
            q.popleft()
    return q, list(q)


show(printed, 2, 5, 30)
show(shown, 3, 9, 20)
show(large, 3, 30, 60)
show(raising, 5, 13, 20)
show(handled, 1, 7, 40)
show(finally_, 3, 12)
show(texts, 0, 10)
show(changes_kind, 5, 19, 21, 24, 60)
show(aliases, 1, 30)
show(twice, 0, 1, 6, 7)
show(words, "", "one two", "a b c d e f g")
