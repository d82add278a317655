# A list of numbers that a call sorts, reverses, rotates or swaps in place holds the objects that it held; what is in its
# old place stays there.
#@ alone: beside other threads items are written one by one, and a number that moves is another object
from snekpy import stage


def reverse(items, n):
    i, j = 0, n - 1
    while i < j:
        items[i], items[j] = items[j], items[i]
        i += 1
        j -= 1


def sort(items, low, high):
    if low >= high:
        return
    pivot = items[(low + high) // 2]
    i, j = low, high
    while i <= j:
        while items[i] < pivot:
            i += 1
        while items[j] > pivot:
            j -= 1
        if i <= j:
            items[i], items[j] = items[j], items[i]
            i += 1
            j -= 1
    sort(items, low, j)
    sort(items, i, high)


def rotate(items, n, by):
    for _ in range(by):
        first = items[0]
        for i in range(n - 1):
            items[i] = items[i + 1]
        items[n - 1] = first


def swap(items, i, j):
    items[i], items[j] = items[j], items[i]
    for k in range(len(items)):
        items[k] = items[k]


def same_sum(items, n):
    for i in range(n - 1):
        if i % 3 == 0:
            items[i] += 1000
            items[i + 1] -= 1000


def both(one, other, n):
    for i in range(n):
        one[i], other[n - 1 - i] = other[n - 1 - i], one[i]


def ints(n, few):
    return [(i * 7919 + 13) % few * 1009 - 5000 for i in range(n)]


def floats(n, few):
    return [((i * 7919 + 13) % few - few // 2) / 8 for i in range(n)]


staged_reverse, staged_sort, staged_rotate = stage(reverse), stage(sort), stage(rotate)
staged_swap, staged_same_sum, staged_both = stage(swap), stage(same_sum), stage(both)
for make in ints, floats:
    for n, few in (3, 100), (15, 100), (16, 100), (17, 5), (40, 7), (100, 1000), (100, 1), (200, 13), (257, 500):
        items = make(n, few)
        kept = items[:]
        staged_reverse(items, n)
        print(n, few, items[:6], all(a is b for a, b in zip(items, reversed(kept))) or few < n or n < 100)
        staged_sort(items, 0, n - 1)
        print(items[:3], items[-3:], items == sorted(kept), sorted(map(type, items), key=str) == sorted(map(type, kept), key=str))
        staged_rotate(items, n, 5)
        print(items[:3], items[-3:])
        staged_swap(items, 0, n - 1)
        print(items[:3], items[-3:])
        staged_same_sum(items, n)
        print(items[:4], sum(items) == sum(kept))
        other = make(n, few + 2)
        staged_both(items, other, n)
        print(items[:4], other[-4:])

# What stays where it is, stays what it is, also where another number is equal to it.
items = [1000 + i for i in range(30)]
items[3] = int("1005")
items[20] = int("1009")
kept = items[:]
staged_swap(items, 9, 12)
print([i for i, (a, b) in enumerate(zip(items, kept)) if a is not b])

# Zeros of both signs, infinities and NaNs.
nan = float("nan")
items = [0.0, -0.0, float("inf"), -float("inf")] * 5 + [nan, 1.5]
staged_reverse(items, len(items))
print(items)
staged_swap(items, 0, 1)
print(items)
# The last digit of what is nearly too large.
items = [2**63 - 1 - i for i in range(20)] + [-(2**63) + i for i in range(20)]
staged_reverse(items, 40)
print(items[:2], items[-2:])
staged_swap(items, 0, 39)
print(items[:2], items[-2:], sum(items))
