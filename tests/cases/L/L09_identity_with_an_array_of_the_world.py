# L09: whether an array argument is an array of the world.
from array import array
from snekpy import stage
A = array('q', [1, 2])

@stage
def f(a): return a is A

print(f(array('q', [1, 2])), f(A))
