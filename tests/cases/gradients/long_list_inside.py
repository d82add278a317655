# A gradient in captured code by a list of a length that is known only later.
from snekpy import grad, stage


def squares(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total


staged = stage(lambda xs: grad(squares)(xs))
for n in (40, 41, 3, 64):
    print(staged([k * 0.5 for k in range(n)])[-3:])
