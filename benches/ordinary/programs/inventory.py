from collections import defaultdict, Counter, namedtuple

Order = namedtuple("Order", "id customer item qty price")


def make(n, seed=3):
    x = seed
    out = []
    for i in range(n):
        x = (x * 48271) % 2147483647
        out.append(Order(i, "c%d" % (x % 17), ["nut", "bolt", "gear", "cog"][x % 4], x % 9 + 1, (x % 500) / 100))
    return out


def revenue_by_customer(orders):
    totals = defaultdict(float)
    for o in orders:
        totals[o.customer] += o.qty * o.price
    return dict(totals)


def top_items(orders, k=3):
    c = Counter()
    for o in orders:
        c[o.item] += o.qty
    return c.most_common(k)


def group(orders):
    groups = {}
    for o in orders:
        groups.setdefault(o.item, []).append(o)
    return {k: (len(v), max(v, key=lambda o: o.price).id, sum(o.qty for o in v)) for k, v in groups.items()}


def restock(stock, orders):
    missing = []
    for o in orders:
        try:
            if stock[o.item] < o.qty:
                raise ValueError(o.item)
            stock[o.item] -= o.qty
        except KeyError:
            missing.append(("unknown", o.id))
        except ValueError as e:
            missing.append((str(e), o.id))
    return missing


def bench():
    return len(revenue_by_customer(make(600, 5)))


def bench_top():
    return top_items(make(600))


def bench_group():
    return group(make(600))


def bench_restock():
    return len(restock({"nut": 500, "bolt": 300, "gear": 100}, make(800)))
