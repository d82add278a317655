# M06: calls with other values of the same types run the code that is there; other types make code once.
from snekpy import stage
from support import specialisations


def norm(xs, p):
    total = 0.0
    for x in xs:
        total += abs(x) ** p
    return total ** (1 / p)


staged = stage(norm)
for n in range(3, 40):
    assert staged([x * 0.5 for x in range(n)], 2.0) == norm([x * 0.5 for x in range(n)], 2.0)
lists = specialisations(staged)
for p in range(1, 30):
    assert staged([1.5, -2.5], p * 0.5) == norm([1.5, -2.5], p * 0.5)
print("as many for other values:", specialisations(staged) == lists)
before = specialisations(staged)
for _ in range(5):
    assert staged((1.5, 2.5, 3.5), 3) == norm((1.5, 2.5, 3.5), 3)
print("at most one more for other types:", specialisations(staged) <= before + 1)
stats = getattr(staged, "stats", dict)()
if stats.get("calls"):
    assert stats["plain_calls"] == 0, stats
    assert stats["calls"] == 37 + 29 + 5, stats
    # A few lengths are known, then one compilation serves all.
    assert lists <= 5, stats
