"""A loop over a known range with crossings in it is one loop of the code, however often its own loops are explored."""

from snekpy import stage


def rows(text):
    found = []
    least = None
    for number in range(200):
        found.append((number, "n%d" % number, number * 0.5))
        for _ in [number % 7, number & 3, number]:
            least = None
            for word in text.split():
                if least is None or word < least:
                    least = word
    return least, found[0], found[199]


staged = stage(rows)
print(staged("a b 12 the " * 7))
stats = getattr(staged, "stats", None)
if stats and stats()["specialisations"]:
    # Copied for each number it is 13,799.
    assert stats()["specialisations"][0]["instructions"] < 500
