# An augmented assignment that fails is named by the plain operator, after the instruction has been specialised for ints.
#
# The specialised instruction deoptimises to `+`, and forgets that the operator was an in-place one.
#@ cpython    unsupported operand type(s) for +=: 'NoneType' and 'int'
#@ rustpython unsupported operand type(s) for +: 'NoneType' and 'int'


def add(p, j):
    p += j
    return p


for i in range(1000):
    add(i, 1)
try:
    add(None, 1)
except TypeError as error:
    print(error)
