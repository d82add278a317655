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


def reduce(function, iterable, *initial):
    empty = not initial
    if initial:
        value = initial[0]
    for item in iterable:
        if empty:
            value = item
            empty = False
        else:
            value = function(value, item)
    if empty:
        raise TypeError("reduce() of empty iterable with no initial value")
    return value


def partial(function, *args, **keywords):
    def call(*more, **others):
        return function(*args, *more, **{**keywords, **others})

    return call


def itertools_islice(iterable, start, stop, step):
    index = 0
    following = start
    end = stop if stop is None or start < stop else start
    if end is not None and index >= end:
        return
    for item in iterable:
        if index == following and (stop is None or index < stop):
            yield item
            following += step
        index += 1
        if end is not None and index >= end:
            return


def itertools_chain(*iterables):
    for iterable in iterables:
        for item in iterable:
            yield item


def itertools_count(start=0, step=1):
    while True:
        yield start
        start = start + step


def itertools_repeat(item, times):
    for _ in range(times):
        yield item


def itertools_takewhile(function, iterable):
    for item in iterable:
        if not function(item):
            return
        yield item


def itertools_dropwhile(function, iterable):
    dropping = True
    for item in iterable:
        if dropping and function(item):
            continue
        dropping = False
        yield item


def itertools_filterfalse(function, iterable):
    for item in iterable:
        if not (item if function is None else function(item)):
            yield item


def itertools_starmap(function, iterable):
    for items in iterable:
        yield function(*items)


def itertools_accumulate(iterable, function=None, initial=None):
    empty = initial is None
    if not empty:
        total = initial
        yield total
    for item in iterable:
        if empty:
            total = item
            empty = False
        elif function is None:
            total = total + item
        else:
            total = function(total, item)
        yield total


def itertools_pairwise(iterable):
    empty = True
    for item in iterable:
        if not empty:
            yield before, item
        before = item
        empty = False


def heap_towards_root(heap, first, place, item):
    while place > first:
        above = (place - 1) >> 1
        parent = heap[above]
        if not item < parent:
            break
        heap[place] = parent
        place = above
    heap[place] = item


def heap_towards_leaves(heap, first, item):
    place = first
    count = len(heap)
    childless = count >> 1
    while place < childless:
        child = 2 * place + 1
        if child + 1 < count and not heap[child] < heap[child + 1]:
            child += 1
        heap[place] = heap[child]
        place = child
    heap_towards_root(heap, first, place, item)


def heapq_heappush(heap, item):
    heap.append(item)
    heap_towards_root(heap, 0, len(heap) - 1, item)


def heapq_heappop(heap):
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap_towards_leaves(heap, 0, last)
    return first


def heapq_heapreplace(heap, item):
    if not heap:
        raise IndexError("index out of range")
    first = heap[0]
    heap_towards_leaves(heap, 0, item)
    return first


def heapq_heappushpop(heap, item):
    if not heap or not heap[0] < item:
        return item
    return heapq_heapreplace(heap, item)


def heapq_heapify(heap):
    for place in range((len(heap) >> 1) - 1, -1, -1):
        heap_towards_leaves(heap, place, heap[place])


def pooled_product(repeat, *iterables):
    pools = [iterable if isinstance(iterable, range) else tuple(iterable) for iterable in iterables]
    return itertools_product(*pools * repeat)


def itertools_product(*pools):
    if len(pools) == 1:
        for a in pools[0]:
            yield (a,)
    elif len(pools) == 2:
        for a in pools[0]:
            for b in pools[1]:
                yield a, b
    elif len(pools) == 3:
        for a in pools[0]:
            for b in pools[1]:
                for c in pools[2]:
                    yield a, b, c
    else:
        for a in pools[0]:
            for b in pools[1]:
                for c in pools[2]:
                    for d in pools[3]:
                        yield a, b, c, d


def pooled_combinations(iterable, r):
    return itertools_combinations(tuple(iterable), r)


def itertools_combinations(items, r):
    count = len(items)
    for a in range(count):
        if r == 1:
            yield (items[a],)
            continue
        for b in range(a + 1, count):
            if r == 2:
                yield items[a], items[b]
                continue
            for c in range(b + 1, count):
                if r == 3:
                    yield items[a], items[b], items[c]
                    continue
                for d in range(c + 1, count):
                    yield items[a], items[b], items[c], items[d]


def pooled_combinations_with_replacement(iterable, r):
    return itertools_combinations_with_replacement(tuple(iterable), r)


def itertools_combinations_with_replacement(items, r):
    count = len(items)
    for a in range(count):
        if r == 1:
            yield (items[a],)
            continue
        for b in range(a, count):
            if r == 2:
                yield items[a], items[b]
                continue
            for c in range(b, count):
                if r == 3:
                    yield items[a], items[b], items[c]
                    continue
                for d in range(c, count):
                    yield items[a], items[b], items[c], items[d]


def pooled_permutations(iterable, r):
    return itertools_permutations(tuple(iterable), r)


def itertools_permutations(items, r):
    count = len(items)
    for a in range(count):
        if r == 1:
            yield (items[a],)
            continue
        for b in range(count):
            if b == a:
                continue
            if r == 2:
                yield items[a], items[b]
                continue
            for c in range(count):
                if c == a or c == b:
                    continue
                if r == 3:
                    yield items[a], items[b], items[c]
                    continue
                for d in range(count):
                    if d == a or d == b or d == c:
                        continue
                    yield items[a], items[b], items[c], items[d]


def itertools_compress(iterable, selectors):
    for item, chosen in zip(iterable, selectors):
        if chosen:
            yield item


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


def operator_add(x, y):
    return x + y


def operator_and_(x, y):
    return x & y


def operator_eq(x, y):
    return x == y


def operator_floordiv(x, y):
    return x // y


def operator_ge(x, y):
    return x >= y


def operator_gt(x, y):
    return x > y


def operator_le(x, y):
    return x <= y


def operator_lshift(x, y):
    return x << y


def operator_lt(x, y):
    return x < y


def operator_matmul(x, y):
    return x @ y


def operator_mod(x, y):
    return x % y


def operator_mul(x, y):
    return x * y


def operator_ne(x, y):
    return x != y


def operator_or_(x, y):
    return x | y


def operator_pow(x, y):
    return x ** y


def operator_rshift(x, y):
    return x >> y


def operator_sub(x, y):
    return x - y


def operator_truediv(x, y):
    return x / y


def operator_xor(x, y):
    return x ^ y


def operator_getitem(x, y):
    return x[y]


def operator_not_(x):
    return not x


def operator_truth(x):
    return True if x else False


def operator_neg(x):
    return -x


def operator_invert(x):
    return ~x


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
