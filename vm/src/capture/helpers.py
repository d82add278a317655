"""Builtins that are loops, written as loops: capture goes through them as through any other code.

No traceback shows these functions. They do what RustPython's own do, in the same order. Two items are equal as in
`(item,) == (value,)`: an object is equal to itself, even a NaN.
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


def min(iterable, *default):
    empty = True
    for item in iterable:
        if empty:
            best = item
            empty = False
        elif item < best:
            best = item
    if empty:
        if default:
            return default[0]
        raise ValueError("min() iterable argument is empty")
    return best


def max(iterable, *default):
    empty = True
    for item in iterable:
        if empty:
            best = item
            empty = False
        elif item > best:
            best = item
    if empty:
        if default:
            return default[0]
        raise ValueError("max() iterable argument is empty")
    return best


def list(iterable):
    return [item for item in iterable]


def tuple_of(iterable):
    return frozen([item for item in iterable])


def frozen(items):
    # Compiled code has its own.
    return (*items,)


def sorted(iterable, reverse=False):
    items = [item for item in iterable]
    items.sort(reverse=reverse)
    return items


def sorted_by(iterable, key, reverse=False):
    items = [item for item in iterable]
    keys = [key(item) for item in items]
    sort_by_keys(items, keys, reverse)
    return items


def sort_by(items, key, reverse=False):
    keys = [key(item) for item in items]
    sort_by_keys(items, keys, reverse)


def sort_by_keys(items, keys, reverse):
    # Compiled code has its own.
    order = [index for index in range(len(keys))]
    order.sort(key=keys.__getitem__, reverse=reverse)
    items[:] = [items[index] for index in order]


def reversed(items):
    index = len(items) - 1
    while index >= 0:
        if index >= len(items):
            return
        yield items[index]
        index -= 1


def contains(items, value):
    for item in items:
        if (item,) == (value,):
            return True
    return False


def lacks(items, value):
    return not contains(items, value)


def equal(items, others):
    if len(items) != len(others):
        return False
    for index in range(len(items)):
        if (items[index],) != (others[index],):
            return False
    return True


def unequal(items, others):
    if len(items) != len(others):
        return True
    for index in range(len(items)):
        if (items[index],) != (others[index],):
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


def zip_lists(rows):
    return columns_of_lists([row for row in rows])


def columns_of_lists(rows):
    if not rows:
        return
    index = 0
    while True:
        column = []
        for row in rows:
            if index >= len(row):
                return
            column.append(row[index])
        yield frozen(column)
        index += 1


def zip_tuples(rows, width):
    return columns_of_tuples([row for row in rows], width)


def columns_of_tuples(rows, width):
    if not rows:
        return
    for index in range(width):
        yield frozen([row[index] for row in rows])


def extend(items, more):
    if type(more) is type(items):
        # It may be the list itself.
        for index in range(len(more)):
            items.append(more[index])
    else:
        for item in more:
            items.append(item)


def extended(items, more):
    extend(items, more)
    return items


def count(items, value):
    total = 0
    for item in items:
        if (item,) == (value,):
            total += 1
    return total


def slice_of_tuple(items, start, stop, step):
    return frozen(slice(items, start, stop, step))


def index(items, value):
    position = 0
    for item in items:
        if (item,) == (value,):
            return position
        position += 1
    raise ValueError(f"'{value}' is not in list")


def remove(items, value):
    position = 0
    for item in items:
        if (item,) == (value,):
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


def attempt(steps, message, otherwise):
    for method, x, y, inverted in steps:
        result = method(x, y)
        if result is not NotImplemented:
            return not result if inverted else result
    if message is not None:
        raise TypeError(message)
    return otherwise


def attempt_or_is(steps, x, y, inverted):
    for method, a, b, negated in steps:
        result = method(a, b)
        if result is not NotImplemented:
            return not result if negated else result
    return (x is not y) if inverted else (x is y)


def truth(method, x):
    result = method(x)
    if type(result) is not bool:
        raise TypeError(f"__bool__ should return bool, returned {type(result).__name__}")
    return result


def text(method, x, name):
    result = method(x)
    if not isinstance(result, str):
        raise TypeError(f"{name} returned non-string (type {type(result).__name__})")
    return result


def length(method, x):
    result = method(x)
    if type(result) is not int:
        raise TypeError(f"'{type(result).__name__}' object cannot be interpreted as an integer")
    if result < 0:
        raise ValueError("__len__() should return >= 0")
    return result


def is_long(method, x):
    return length(method, x) != 0


def iterator_of(method, x):
    return check_iterator(method(x))


def check_iterator(iterator):
    # Compiled code has its own.
    if not hasattr(type(iterator), "__next__"):
        raise TypeError(f"iter() returned non-iterator of type '{type(iterator).__name__}'")
    return iterator


def holds(method, x, y):
    return True if method(x, y) else False


def holds_not(method, x, y):
    return False if method(x, y) else True


def next_of(method, x):
    # The exception that ends an iterator is made anew by `next`.
    try:
        return method(x)
    except StopIteration as error:
        values = error.args
    if values:
        raise StopIteration(values[0])
    raise StopIteration


def next_or(method, x, default):
    try:
        return method(x)
    except StopIteration:
        return default


def next_item(iterator):
    # Where a generator ends, this is what it has returned.
    returned = None
    for item in iterator:
        return item
    if returned is not None:
        raise StopIteration(returned)
    raise StopIteration


def next_item_or(iterator, default):
    for item in iterator:
        return item
    return default


def contains_object(items, value):
    iterator = None
    try:
        iterator = iter(items)
    except TypeError:
        pass
    if iterator is None:
        raise TypeError(f"argument of type '{type(items).__name__}' is not a container or iterable")
    for item in iterator:
        if item is value or item == value:
            return True
    return False


def lacks_object(items, value):
    return not contains_object(items, value)


def min_by(iterable, key):
    empty = True
    for item in iterable:
        value = key(item)
        if empty:
            best, least = item, value
            empty = False
        elif value < least:
            best, least = item, value
    if empty:
        raise ValueError("min() iterable argument is empty")
    return best


def max_by(iterable, key):
    empty = True
    for item in iterable:
        value = key(item)
        if empty:
            best, most = item, value
            empty = False
        elif value > most:
            best, most = item, value
    if empty:
        raise ValueError("max() iterable argument is empty")
    return best


def bit_length(number):
    number = abs(number)
    length = 0
    while number:
        number >>= 1
        length += 1
    return length


def bit_count(number):
    number = abs(number)
    count = 0
    while number:
        number &= number - 1
        count += 1
    return count


def is_integer(number):
    return number % 1.0 == 0.0


def conjugate(number):
    return number


def zip_generators(*iterables):
    iterators = [iter(iterable) for iterable in iterables]
    while True:
        items = []
        for iterator in iterators:
            for item in iterator:
                items.append(item)
                break
            else:
                return
        yield tuple(items)


def enumerate_generator(iterable, start=0):
    for item in iterable:
        yield start, item
        start += 1


def copy_dict(items):
    return {key: value for key, value in items.items()}


def update_dict(items, more):
    for key, value in more.items():
        items[key] = value


def merged_dict(items, more):
    result = copy_dict(items)
    update_dict(result, more)
    return result


def extended_dict(items, more):
    update_dict(items, more)
    return items


def equal_dicts(items, others):
    if len(items) != len(others):
        return False
    for key, value in items.items():
        if key not in others or (others[key],) != (value,):
            return False
    return True


def unequal_dicts(items, others):
    return not equal_dicts(items, others)


def set(iterable):
    return {item for item in iterable}


def update_set(items, more):
    if more is not items:
        for item in more:
            items.add(item)


def extended_set(items, more):
    update_set(items, more)
    return items


def union(items, others):
    result = set(items)
    for item in others:
        result.add(item)
    return result


def intersection(items, others):
    if len(items) < len(others):
        items, others = others, items
    return {item for item in others if item in items}


def difference(items, others):
    return {item for item in items if item not in others}


def symmetric_difference(items, others):
    result = set(items)
    for item in others:
        if item in result:
            result.remove(item)
        else:
            result.add(item)
    return result


def subset(items, others):
    if len(items) > len(others):
        return False
    for item in items:
        if item not in others:
            return False
    return True


def less_set(items, others):
    return len(items) != len(others) and subset(items, others)


def equal_sets(items, others):
    return len(items) == len(others) and subset(items, others)


def unequal_sets(items, others):
    return not equal_sets(items, others)


def disjoint(items, others):
    for item in items:
        if item in others:
            return False
    return True


def calling(function):
    return lambda *args, **kwargs: function(*args, **kwargs)


def apply(function, args, kwargs):
    return function(*args, **kwargs)


def done(method, *args):
    method(*args)


def attribute_or(default, method, *args):
    try:
        return method(*args)
    except AttributeError:
        return default


def has_attribute(method, *args):
    try:
        method(*args)
    except AttributeError:
        return False
    return True
