# J02: an attribute that changes between the calls.
from snekpy import stage


class Drop:
    p = 0.5


drop = Drop()


@stage
def f(x):
    return x * drop.p


print(f(4.0))
drop.p = 0.25
print(f(4.0))
Drop.p = 7
del drop.p
print(f(4.0))
