"""Functions of `functools`, `operator`, `heapq` and `itertools`, as loops: see `capture/library.rs`."""


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


def deque_filled(items, iterable):
    for item in iterable:
        items.append(item)
    return items


def deque_extend(items, iterable):
    for item in iterable:
        items.append(item)


def deque_extendleft(items, iterable):
    for item in iterable:
        items.appendleft(item)


def deque_rotate(items, by):
    count = len(items)
    if count:
        by %= count
        if by <= count >> 1:
            for _ in range(by):
                items.appendleft(items.pop())
        else:
            for _ in range(count - by):
                items.append(items.popleft())
