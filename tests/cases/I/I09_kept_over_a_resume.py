# I09: bound methods, views and partials of what is made in the call see it after the call was left.
import functools

from support import show

numbers = iter(range(0, 10**6))


class Box:
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v


def append(x):
    items = [x]
    items.insert(0, 9)
    method = items.append
    next(numbers)
    method(7)
    return items


def get(x):
    d = {}
    method = d.get
    next(numbers)
    d[1] = x
    return method(1), method(2)


def get_item(x):
    d = {1: x}
    method = d.__getitem__
    next(numbers)
    d[1] += 1
    return method(1)


def of_a_class(x):
    box = Box(x)
    method = box.get
    next(numbers)
    box.v += 1
    return method(), method.__self__ is box


def only_the_method(x):
    method = Box(x).get
    next(numbers)
    return method()


def view(x):
    d = {1: x}
    keys, values, items = d.keys(), d.values(), d.items()
    next(numbers)
    d[2] = 9
    return list(keys), list(values), list(items), 2 in keys


def partial(x):
    items = [1]
    method = functools.partial(items.append, x)
    next(numbers)
    method()
    return items, method.args


def set_of_the_call(x):
    s = {1}
    add = s.add
    next(numbers)
    s.add(x)
    add(x + 1)
    return sorted(s)


show(append, 1, 0.5)
show(get, 5, 0.5)
show(get_item, 5, 0.5)
show(of_a_class, 5, 0.5)
show(only_the_method, 5, 0.5)
show(view, 5, 0.5)
show(partial, 5, 0.5)
show(set_of_the_call, 5, 6, 1)
