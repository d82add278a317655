# G19: a lambda that takes several lines.
from support import show

f = (lambda y: lambda x: x * y
     - y)

show(f(2), 3, 0.5)
show(f(0.5), 3)
