# Three sorts against sorted().
def quick(l):
    if len(l) < 2:
        return l
    pivot, *rest = l
    return quick([v for v in rest if v < pivot]) + [pivot] + quick([v for v in rest if v >= pivot])


def merge(l):
    if len(l) < 2:
        return l
    a, b = merge(l[: len(l) // 2]), merge(l[len(l) // 2 :])
    out = []
    while a and b:
        out.append((a if a[0] <= b[0] else b).pop(0))
    return out + a + b


def insertion(l):
    l = l[:]
    for i in range(1, len(l)):
        j, v = i, l[i]
        while j > 0 and l[j - 1] > v:
            l[j] = l[j - 1]
            j -= 1
        l[j] = v
    return l


data = [(i * 7919) % 101 for i in range(60)]
print(quick(data) == merge(data) == insertion(data) == sorted(data), quick(data)[:5])
words = ["bb", "a", "ccc", "dd"]
print(sorted(words, key=len), sorted(words, key=lambda w: (-len(w), w)), max(words, key=len), min(words))
