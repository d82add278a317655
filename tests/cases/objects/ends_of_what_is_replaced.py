# Instructions of compiled code that the VM carries out let go of what they replace. Where that ends something which the
# program notices, it is noticed there, and not behind.
import collections
import weakref

from snekpy import stage

LOG = []


class End:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        LOG.append(self.name)


class Node:
    pass


class Slot:
    __slots__ = ("item",)


LAST = [0]
TABLE = {"a": 0}
BYTES = bytearray(b"more")
QUEUE = collections.deque([0, 0], 2)
LATER = collections.defaultdict(list)
BOX, PLACE = Node(), Slot()
BOX.item = PLACE.item = 0


def shown(function, *changes):
    staged = stage(function)
    for change in (*changes, None, *changes):
        staged(1)
        if change is not None:
            change()
        LOG.clear()
        staged(2)
        print(function.__name__, LOG)


def in_list(x):
    LAST[0] = BYTES[-1]
    print(len(LOG))


def in_dict(x):
    TABLE["a"] = BYTES[x]
    print(len(LOG))


def in_later(x):
    LATER[BYTES[0]] = str(x)
    print(len(LOG))


def deleted(x):
    TABLE[BYTES[1]] = 1
    del TABLE[BYTES[1]]
    print(len(LOG))


def of_list(x):
    LAST.append(BYTES[x])
    del LAST[-BYTES[0] + 108]
    print(len(LOG))


def of_slice(x):
    LAST[x - x : BYTES[0] - 108] = [BYTES[x]]
    print(len(LOG))


def of_object(x):
    BOX.item = BYTES[x]
    print(len(LOG))


def of_slot(x):
    PLACE.item = BYTES[x]
    print(len(LOG))


def pushed_out(x):
    QUEUE.append(BYTES[x])
    print(len(LOG))


def pushed_out_left(x):
    QUEUE.appendleft(BYTES[x])
    print(len(LOG))


def cleared(x):
    LATER.clear()
    LATER["k"] = BYTES[x]
    print(len(LOG))


def updated(x):
    TABLE.update({"a": BYTES[x]})
    print(len(LOG))


def loop(items, log):
    for index in range(len(items)):
        items[index] = str(index)
        print(len(log))


def put(container, key, value):
    def change():
        container[key] = value()

    return change


def end():
    return End("end")


def nested():
    return [("x", [End("inside")])]


def node():
    made = Node()
    weakref.finalize(made, LOG.append, "gone")
    return made


for value in (end, nested, node):
    shown(in_list, put(LAST, 0, value))
    shown(in_dict, put(TABLE, "a", value))
    shown(in_later, put(LATER, 109, value))
    shown(deleted, put(TABLE, "a", value))
    shown(of_list, put(LAST, 0, value))
    shown(of_slice, put(LAST, 0, value))
    shown(of_object, lambda: setattr(BOX, "item", value()))
    shown(of_slot, lambda: setattr(PLACE, "item", value()))
    shown(pushed_out, lambda: QUEUE.append(value()), put(QUEUE, 0, value))
    shown(pushed_out_left, lambda: QUEUE.appendleft(value()), put(QUEUE, 1, value))
    shown(cleared, put(LATER, "q", value))
    shown(updated, put(TABLE, "a", value))
    staged = stage(loop)
    for items in ([0, 1, 2], [0, value(), 2], ["a", value(), value()]):
        LOG.clear()
        staged(items, LOG)
    del items
