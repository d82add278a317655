PEOPLE = [{"id": i, "name": f"person {i * 7 % 50}", "city": ("Oslo", "Rome", "Lima")[i % 3], "age": 20 + i * 13 % 50} for i in range(200)]
ORDERS = [{"person": i * 11 % 200, "item": "abcde"[i % 5], "price": 5 + i * 17 % 90 / 10, "count": i % 4} for i in range(600)]


def join(people, orders):
    index = {row["id"]: row for row in people}
    out = []
    for order in orders:
        person = index.get(order["person"])
        if person is None:
            continue
        row = dict(person)
        row.update(order)
        out.append(row)
    return out


def group(rows, key, value):
    sums = {}
    for row in rows:
        k = row[key]
        if k in sums:
            total, count = sums[k]
            sums[k] = (total + row[value], count + 1)
        else:
            sums[k] = (row[value], 1)
    return {k: total / count for k, (total, count) in sorted(sums.items())}


def pivot(rows, down, across, value):
    cells = {}
    columns = set()
    for row in rows:
        columns.add(row[across])
        line = cells.setdefault(row[down], {})
        line[row[across]] = line.get(row[across], 0) + row[value]
    order = sorted(columns)
    return [[name] + [line.get(column, 0) for column in order] for name, line in sorted(cells.items())]


def select(rows, city, low):
    return sorted((r for r in rows if r["city"] == city and r["age"] >= low), key=lambda r: (-r["age"], r["name"]))[:10]


def formatted(rows, columns):
    widths = {c: max(len(c), max(len(str(r[c])) for r in rows)) for c in columns}
    lines = [" ".join(c.ljust(widths[c]) for c in columns)]
    for row in rows:
        lines.append(" ".join(str(row[c]).ljust(widths[c]) for c in columns))
    return "\n".join(lines)


def parse(text):
    lines = text.splitlines()
    names = lines[0].split(";")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        parts = line.split(";")
        if len(parts) != len(names):
            raise ValueError(f"line {number}")
        row = {}
        for name, part in zip(names, parts):
            try:
                row[name] = int(part)
            except ValueError:
                row[name] = part
        rows.append(row)
    return rows


def totals(orders):
    total = 0.0
    for order in orders:
        amount = order["price"] * order["count"]
        if order["item"] in ("a", "c"):
            amount *= 0.9
        total += amount
    return round(total, 4)


TEXT = "id;name;age\n" + "\n".join(f"{i};name{i};{i % 90}" for i in range(200))


def bench_join():
    return len(join(PEOPLE, ORDERS)), group(join(PEOPLE, ORDERS), "city", "price")


def bench_pivot():
    return pivot(ORDERS, "item", "count", "price")


def bench_select():
    return select(PEOPLE, "Rome", 40)


def bench_formatted():
    return formatted(PEOPLE[:60], ["id", "name", "city"])


def bench_parse():
    return parse(TEXT)[-1]


def bench_totals():
    return totals(ORDERS)
