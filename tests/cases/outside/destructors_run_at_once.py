# What is replaced ends before the next statement.
import weakref
from snekpy import stage

log = []


class D:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        log.append(self.name)


class Box:
    pass


box = Box()
table = {}
items = []
shared = None


@stage
def in_attribute(n):
    box.x = n
    return len(log), n


@stage
def in_dict(n):
    table["k"] = n
    return len(log), n


@stage
def in_list(n):
    items[0] = n
    return len(log), n


@stage
def cleared(n):
    table.clear()
    return len(log), n


@stage
def popped(n):
    items.pop()
    return len(log), n


@stage
def in_global(n):
    global shared
    shared = n
    return len(log), n


@stage
def deep(n):
    table["k"] = n
    return len(log), n


def run(title, f, prepare):
    seen = []
    for i in range(3):
        prepare(D(f"{title}{i}"))
        seen.append(f(i))
    print(title, seen, log)
    log.clear()


def set_attribute(d):
    box.x = d


def set_dict(d):
    table["k"] = d


def set_list(d):
    items[:] = [d]


def set_global(d):
    global shared
    shared = d


def set_deep(d):
    table["k"] = [(d,)]


run("attribute", in_attribute, set_attribute)
run("dict", in_dict, set_dict)
run("list", in_list, set_list)
run("cleared", cleared, set_dict)
run("popped", popped, set_list)
run("global", in_global, set_global)
run("deep", deep, set_deep)


class Quiet:
    pass


refs = []


def set_watched(d):
    q = Quiet()
    q.d = d
    refs.append(weakref.ref(q, lambda r: log.append("gone")))
    box.x = q


run("watched", in_attribute, set_watched)


def set_weak(d):
    q = Quiet()
    refs.append(weakref.ref(q, lambda r: log.append("gone")))
    table["k"] = q


run("weak", in_dict, set_weak)


# What the call itself makes and drops.
@stage
def made(n):
    d = D("made")
    d = n
    return len(log), d


print(made(1), made(2), log)
log.clear()

# What compiled code has replaced is not kept by it.
q = Quiet()
ref = weakref.ref(q)
box.x = q
del q
in_attribute(5)
print(ref() is None)
in_attribute(6)
