# Lists, dicts and pairs that grow while it happens.
#@ change items.clear()
def grow(items, pairs, counts, n):
    k = 0
    while k < n:
        k = k + 1
        items.append(float(k))
        pairs.append((k, k * 0.5))
        counts[k % 3] = counts.get(k % 3, 0) + 1
        if len(items) > 6:
            items.clear()


items, pairs, counts = [], [], {}
staged = stage(grow)
interrupted(POLLS, CHANGE, lambda: staged(items, pairs, counts, 10), "items", "pairs", "counts")
interrupted(POLLS, CHANGE, lambda: staged(items, pairs, counts, 15), "items", "pairs", "counts")
