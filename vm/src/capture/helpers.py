"""Builtins that are loops, written as loops: capture goes through them as through any other code.

No traceback shows these functions. They do what RustPython's own do, in the same order.
"""


def map(function, *iterables):
    if len(iterables) == 1:
        for item in iterables[0]:
            yield function(item)
    else:
        for items in zip(*iterables):
            yield function(*items)


def filter(function, iterable):
    for item in iterable:
        if item if function is None else function(item):
            yield item


def sum(iterable, start=0):
    for item in iterable:
        start = start + item
    return start


def any(iterable):
    for item in iterable:
        if item:
            return True
    return False


def all(iterable):
    for item in iterable:
        if not item:
            return False
    return True


def min(iterable):
    empty = True
    for item in iterable:
        if empty:
            best = item
            empty = False
        elif item < best:
            best = item
    if empty:
        raise ValueError("min() iterable argument is empty")
    return best


def max(iterable):
    empty = True
    for item in iterable:
        if empty:
            best = item
            empty = False
        elif item > best:
            best = item
    if empty:
        raise ValueError("max() iterable argument is empty")
    return best


def list(iterable):
    return [item for item in iterable]


def sorted(iterable, reverse=False):
    items = [item for item in iterable]
    items.sort(reverse=reverse)
    return items


def reversed(items):
    index = len(items) - 1
    while index >= 0:
        if index >= len(items):
            return
        yield items[index]
        index -= 1


def contains(items, value):
    for item in items:
        if item == value:
            return True
    return False


def lacks(items, value):
    for item in items:
        if item == value:
            return False
    return True


def equal(items, others):
    if len(items) != len(others):
        return False
    for index in range(len(items)):
        if items[index] != others[index]:
            return False
    return True


def unequal(items, others):
    if len(items) != len(others):
        return True
    for index in range(len(items)):
        if items[index] != others[index]:
            return True
    return False


def concatenate(items, others):
    result = [item for item in items]
    for item in others:
        result.append(item)
    return result


def repeat(items, times):
    result = []
    for _ in range(times):
        for item in items:
            result.append(item)
    return result


def slice(items, start, stop, step):
    length = len(items)
    if step is None:
        step = 1
    if step == 0:
        raise ValueError("slice step cannot be zero")
    lower, upper = (-1, length - 1) if step < 0 else (0, length)
    if start is None:
        start = upper if step < 0 else lower
    elif start < 0:
        start = start + length
        if start < lower:
            start = lower
    elif start > upper:
        start = upper
    if stop is None:
        stop = lower if step < 0 else upper
    elif stop < 0:
        stop = stop + length
        if stop < lower:
            stop = lower
    elif stop > upper:
        stop = upper
    return [items[index] for index in range(start, stop, step)]


def extend(items, more):
    if more is items:
        for index in range(len(items)):
            items.append(items[index])
    else:
        for item in more:
            items.append(item)


def extended(items, more):
    extend(items, more)
    return items


def copy(items):
    return [item for item in items]


def count(items, value):
    total = 0
    for item in items:
        if item == value:
            total += 1
    return total


def index(items, value):
    position = 0
    for item in items:
        if item == value:
            return position
        position += 1
    raise ValueError(f"'{value}' is not in list")


def remove(items, value):
    position = 0
    for item in items:
        if item == value:
            del items[position]
            return
        position += 1
    raise ValueError(f"'{value}' is not in list")


def reverse(items):
    low = 0
    high = len(items) - 1
    while low < high:
        items[low], items[high] = items[high], items[low]
        low += 1
        high -= 1
