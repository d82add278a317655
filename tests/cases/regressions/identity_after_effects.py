"""Which object a tuple is, where the call has printed before it asks."""
from support import show


def shared(x, n):
    print("start", x)
    t = (x, 1)
    u = t
    for i in range(n):
        if i == 3:
            t = (x, 2)
        elif i == 4:
            u = t
        x += i
    return t is u, t is not u, x


def of_list(n):
    pairs = [(q % 3, (q, 2)) for q in range(n)]
    last = pairs[-1] if pairs else None
    for a, (b, c) in pairs:
        print(a, b)
        if b > 2:
            break
        last = (a, (c, b))
    return last, last is pairs[-1] if pairs else None


def numbers(x, n):
    y = x
    print(n)
    for i in range(n):
        if i > 2:
            y = x + 0.5
    return y is x, id(y) == id(x), id(x) == id(x)


def large(n):
    """Large ints are other objects whenever the loop is captured again."""
    items = [q for q in range(n)]
    x = 2**62
    for i in range(n):
        x = x + x if i == 2 else x
        items.append(i + x if i < 2 else i)
    return x, len(items), items[-1:]


show(shared, (1, 0), (1, 3), (1, 4), (1, 5), (1, 9))
show(of_list, 0, 1, 2, 3, 5, 9)
show(numbers, (1.5, 0), (1.5, 2), (1.5, 5))
show(large, 0, 1, 3, 20)
