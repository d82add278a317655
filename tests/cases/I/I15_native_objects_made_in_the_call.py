# I15: every call makes its own deque, counter, buffer and bytes.
import collections
import io

from support import show


def deque(x):
    d = collections.deque([1])
    d.append(x)
    d.appendleft(len(d))
    return list(d)


def counter(x):
    c = collections.Counter("aab")
    c["a"] += x
    c.update("b")
    return c["a"], c["b"], c["c"]


def default_dict(x):
    d = collections.defaultdict(list)
    d["a"].append(x)
    d["a"].append(len(d))
    return dict(d)


def buffer(x):
    out = io.StringIO()
    out.write("abc" * x)
    return out.getvalue()


def byte_array(x):
    b = bytearray(b"a")
    b.append(x)
    b += b"z"
    return bytes(b)


def set_of_two(x):
    s = {1, 2}
    s.add(x)
    s.discard(2)
    return sorted(s), s == {1, x}


show(deque, 2, 3)
show(counter, 2, 0)
show(default_dict, 2, 0.5)
show(buffer, 2, 1, 0)
show(byte_array, 5, 6, 256)
show(set_of_two, 5, 6, 1)
