import csv
import io
import json
from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import count, groupby

FRESH = count()
NAMES = ["ann", "bob", "cid", "dee", "eve", "fay"]
KINDS = ["food", "rent", "fun", "car"]


def make_csv(seed, lines):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["who", "kind", "amount", "day"])
    for i in range(lines):
        n = i * 7919 + seed * 31
        writer.writerow([NAMES[n % 6], KINDS[n // 7 % 4], f"{n % 9973 / 100:.2f}", n % 28 + 1])
    return out.getvalue()


def read_totals(text):
    totals = {}
    for row in csv.DictReader(io.StringIO(text)):
        key = row["who"], row["kind"]
        totals[key] = totals.get(key, 0.0) + float(row["amount"])
    return {f"{who}/{kind}": round(total, 2) for (who, kind), total in sorted(totals.items())}


def split_totals(text):
    totals = defaultdict(float)
    lines = text.splitlines()
    for line in lines[1:]:
        who, kind, amount, day = line.split(",")
        if int(day) <= 15:
            totals[who] += float(amount)
    return dict(totals)


@dataclass
class Entry:
    who: str
    kind: str
    amount: float
    day: int
    tags: list = field(default_factory=list)

    @property
    def cents(self):
        return round(self.amount * 100)

    def is_large(self, limit=50.0):
        return self.amount > limit


def entries(text):
    found = []
    for line in text.splitlines()[1:]:
        who, kind, amount, day = line.split(",")
        entry = Entry(who, kind, float(amount), int(day))
        if entry.is_large():
            entry.tags.append("large")
        found.append(entry)
    return found


def summarise(items):
    by_kind = {}
    for it in items:
        bucket = by_kind.setdefault(it.kind, {"n": 0, "cents": 0, "days": set()})
        bucket["n"] += 1
        bucket["cents"] += it.cents
        bucket["days"].add(it.day)
    return {kind: (b["n"], b["cents"], len(b["days"])) for kind, b in by_kind.items()}


def monthly_report(items, width=40):
    lines = ["Report".center(width), "=" * width]
    total = 0.0
    for who, group in groupby(sorted(items, key=lambda it: (it.who, it.day)), key=lambda it: it.who):
        group = list(group)
        amount = sum(it.amount for it in group)
        total += amount
        lines.append(f"{who:<10}{len(group):>6}{amount:>12,.2f}{max(it.amount for it in group):>12.2f}")
    lines.append("-" * width)
    lines.append(f"{'total':<16}{total:>12,.2f}")
    return "\n".join(lines)


Point = namedtuple("Point", "x y label")


def roundtrip(n, seed):
    points = [Point(i * 0.5, (i + seed) % 7, f"p{i}") for i in range(n)]
    text = json.dumps([p._asdict() for p in points], sort_keys=True)
    back = [Point(**it) for it in json.loads(text)]
    return sum(p.x * p.y for p in back), len(text), back == points


def walk_json(data, path=""):
    if isinstance(data, dict):
        for key in sorted(data):
            yield from walk_json(data[key], f"{path}.{key}")
    elif isinstance(data, list):
        for i, item in enumerate(data):
            yield from walk_json(item, f"{path}[{i}]")
    else:
        yield path, data


def flatten_json(data):
    return dict(walk_json(data))


def compound_savings(start, rate, months):
    balance, history = start, []
    for month in range(1, months + 1):
        interest = round(balance * rate / 12, 2)
        balance = round(balance + interest + 100, 2)
        if month % 12 == 0:
            history.append((month // 12, balance))
    return history


def invoice(lines):
    total = Decimal("0")
    for name, price, n in lines:
        total += Decimal(price) * n
    tax = (total * Decimal("0.19")).quantize(Decimal("0.01"))
    return str(total), str(tax), str(total + tax)


def payday(start, n):
    day, found = start, []
    while len(found) < n:
        last = (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
        while last.weekday() >= 5:
            last -= timedelta(days=1)
        found.append(last.isoformat())
        day = (day.replace(day=28) + timedelta(days=4)).replace(day=1)
    return found


def business_days(start, end):
    days, day = 0, start
    while day < end:
        if day.weekday() < 5:
            days += 1
        day += timedelta(days=1)
    return days


def parse_times(stamps):
    total, worst = 0, None
    for a, b in zip(stamps, stamps[1:]):
        gap = (datetime.strptime(b, "%Y-%m-%d %H:%M:%S") - datetime.strptime(a, "%Y-%m-%d %H:%M:%S")).total_seconds()
        total += gap
        if worst is None or gap > worst:
            worst = gap
    return total, worst


def day_of_week(year, month, day):
    if month < 3:
        month += 12
        year -= 1
    k, j = year % 100, year // 100
    return (day + 13 * (month + 1) // 5 + k + k // 4 + j // 4 + 5 * j) % 7


def friday_13ths(first, last):
    return [(y, m) for y in range(first, last) for m in range(1, 13) if day_of_week(y, m, 13) == 6]


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def ordinal(year, month, day):
    lengths = [31, 29 if is_leap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return sum(lengths[: month - 1]) + day


def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    f = (b + 8) // 25
    g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return month, day + 1


def easters(first, last):
    found = Counter(easter(year) for year in range(first, last))
    return found.most_common(3)


def calendar_page(year, month):
    first = date(year, month, 1)
    days = (date(year + month // 12, month % 12 + 1, 1) - first).days
    rows, row = [], ["  "] * first.weekday()
    for day in range(1, days + 1):
        row.append(f"{day:2}")
        if len(row) == 7:
            rows.append(" ".join(row))
            row = []
    if row:
        rows.append(" ".join(row))
    return "\n".join(rows)


def recent(keys, size):
    cache, hits = OrderedDict(), 0
    for key in keys:
        if key in cache:
            hits += 1
            cache.move_to_end(key)
        else:
            cache[key] = key * key
            if len(cache) > size:
                cache.popitem(last=False)
    return hits, list(cache)[:5]


TEXT = make_csv(0, 400)
ENTRIES = entries(TEXT)
DATA = {"a": [1, 2, {"b": [3, 4, {"c": 5}], "d": "x"}], "e": {"f": {"g": [i for i in range(60)]}, "h": None}}
LINES = [(f"item{i}", f"{i % 37 + 0.99:.2f}", i % 5 + 1) for i in range(200)]
STAMPS = [f"2024-{i % 12 + 1:02}-{i % 28 + 1:02} {i % 24:02}:{i * 7 % 60:02}:00" for i in range(40)]


def bench_read():
    return read_totals(TEXT)


def bench_read_fresh():
    return read_totals(make_csv(next(FRESH), 200))


def bench_split():
    return split_totals(TEXT)


def bench_split_fresh():
    return split_totals(make_csv(next(FRESH), 200))


def bench_entries_fresh():
    return len(entries(make_csv(next(FRESH), 200)))


def bench_summarise():
    return summarise(ENTRIES)


def bench_summarise_fresh():
    return summarise(entries(make_csv(next(FRESH), 200)))


def bench_report():
    return monthly_report(ENTRIES)


def bench_roundtrip():
    return roundtrip(150, next(FRESH))


def bench_flatten():
    return flatten_json(DATA)


def bench_savings():
    return compound_savings(1000.0 + next(FRESH), 0.03, 2400)


def bench_invoice():
    return invoice(LINES)


def bench_payday():
    return payday(date(2020 + next(FRESH) % 5, 1, 1), 36)


def bench_business():
    return business_days(date(2023, 1, next(FRESH) % 20 + 1), date(2025, 1, 1))


def bench_times():
    return parse_times(STAMPS)


def bench_fridays():
    return friday_13ths(1900 + next(FRESH) % 9, 2000)


def bench_ordinals():
    return sum(ordinal(y, m, 15) for y in range(1990, 2024) for m in range(1, 13))


def bench_easters():
    return easters(1900, 2100)


def bench_pages():
    return sum(len(calendar_page(2024 + i // 12, i % 12 + 1)) for i in range(36))


def bench_recent():
    k = next(FRESH)
    return recent([(i * i + k) % 97 for i in range(2000)], 40)
