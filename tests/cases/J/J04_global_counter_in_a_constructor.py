# J04: a constructor numbers its objects with a global counter.
from snekpy import stage

blocks = 0


class Block:
    def __init__(self, x):
        global blocks
        self.id = blocks
        self.x = x
        blocks += 1


@stage
def one(x):
    block = Block(x)
    return block.id, block.x


@stage
def under_a_condition(x):
    if x > 0:
        return Block(x).id
    return -1


@stage
def in_a_loop(n):
    ids = 0
    for i in range(n):
        ids = ids * 10 + Block(i).id
    return ids


print(one(1), one(2.5), one(3), blocks)
print(under_a_condition(1), under_a_condition(-1), under_a_condition(2), blocks)
print(in_a_loop(3), in_a_loop(0), in_a_loop(1), blocks)
blocks = 0
print(in_a_loop(3), one(0), under_a_condition(0.5), blocks)
