# Corners of lists whose length is known only later: aliases, loops over what changes, recursion, other kinds.
from support import show


def in_itself(n):
    l = []
    for i in range(n):
        l.append(l)
    return len(l)


def itself_as_item(n):
    l = [0] * n
    l[n - 1] = l
    return len(l)


def added_to_itself(n):
    l = [i for i in range(n)]
    l += l
    l *= 2
    return l


def two_names(n):
    l = [i for i in range(n)]
    m = [l, l]
    m[0].append(5)
    return m, m[0] is m[1]


def in_a_dict_and_a_cell(n):
    l = [i for i in range(n)]
    d = {"l": l}
    d["l"].append(1)
    def inner():
        l.append(2)
        return len(l)
    return inner(), d


def cleared_while_looping(n):
    l = [i for i in range(n)]
    for x in l:
        if x == 2:
            l.clear()
    return l


def iterator_sees_more(n):
    l = [i for i in range(n)]
    it = iter(l)
    next(it)
    l.append(9)
    return list(it), l


def popped_until_empty(n):
    l = [i for i in range(n)]
    try:
        while True:
            l.pop()
    except IndexError:
        l.append(n)
    finally:
        l.append(-1)
    return l


def ends_swapped(n):
    l = [i for i in range(n)]
    del l[-1]
    l[0], l[-1] = l[-1], l[0]
    return l[1:-1], l[::-1], l[n:], l[-100:100]


def grown_by_recursion(n):
    def rec(l, k):
        if k == 0:
            return len(l)
        l.append(k)
        return rec(l, k - 1)
    l = [0 for _ in range(n)]
    return rec(l, n), l


def new_each_time(n):
    s = 0
    for i in range(n):
        l = [j for j in range(i)]
        s += sum(l) + len(l)
    return s


def rows(n):
    l = [[0] * n for _ in range(3)]
    for r in l:
        for q in range(n):
            r[q] = q
    return l


def on_one_path(n):
    l = [0.0] * n
    x = l
    if n > 2:
        x = [1.0] * n
    x[0] = 5.0
    return l, x, l is x


def swapped_in_a_loop(n):
    a, b = [0] * n, [1] * n
    for _ in range(n):
        a, b = b, a
    a.append(7)
    return a, b


def chosen(n):
    a, b = [0] * n, [1] * n
    c = a if n % 2 else b
    c.append(5)
    return a, b, c is a


def other_kind_stored(n):
    l = [True] * n
    l[0] = n
    return l


def big_int_stored(n):
    l = [1] * n
    l[0] = 2 ** 62 * 4 * n
    return l


def printed_and_raised(n):
    l = [i for i in range(n)]
    print(l, *l[:2], sep="|")
    assert len(l) < 4, l
    raise ValueError(l, len(l))


def turned_into_others(n):
    l = [i for i in range(n)]
    return l, tuple(l), set(l), str(l), sorted(l), [*l], {x: 1 for x in l}


def matched(n):
    l = [i for i in range(n)]
    match l:
        case [1]:
            return 1
        case [0, *rest]:
            return rest
        case _:
            return "none"


def sorted_by_key(n):
    l = [i for i in range(n)]
    l.sort(key=lambda v: -v)
    l.extend(x for x in (1, 2))
    l.extend((3, 4))
    l.extend("ab") if n > 4 else None
    return l


class K:
    items = []
    def add(self, n):
        for i in range(n):
            self.items.append(i)
        return len(self.items)


def of_a_class(n):
    return K().add(n), K.items


for function in (
    in_itself,
    itself_as_item,
    added_to_itself,
    two_names,
    in_a_dict_and_a_cell,
    cleared_while_looping,
    iterator_sees_more,
    popped_until_empty,
    ends_swapped,
    grown_by_recursion,
    new_each_time,
    rows,
    on_one_path,
    swapped_in_a_loop,
    chosen,
    other_kind_stored,
    big_int_stored,
    printed_and_raised,
    turned_into_others,
    matched,
    sorted_by_key,
    of_a_class,
):
    show(function, 3, 1, 0, 5)
