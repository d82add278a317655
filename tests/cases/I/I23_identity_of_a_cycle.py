# I23: identity of objects that point to themselves.
from support import show


class Node:
    pass


def objects(x):
    node, other = Node(), Node()
    node.next = other if x > 0 else node
    return node.next is node, node.next is other, node is not other, id(node.next) == id(other)


show(objects, 1, -1)
