# A list becomes one of the compiled code on the way into the loop of `list.count`, behind an effect.
from snekpy import stage
V = [2]
V2 = []
def h0():
    V2.extend([a - b for a in V[:3] for b in range(4) if a != b])
@stage
def f(i2, w0):
    0 if i2 else h0()
    y = (q for q in (i2, w0[-1] or 3) if q > 4)
    if i2:
        v0 = list(y)
    else:
        v0 = [next(y, 0)]
    v0 = v0 + list(y)
    t_4 = {}
    for i_4 in range(V2.count(5) % 6):
        t_4[i_4, i_4 + 1] = i_4
    return v0
print(f(3,[2]))
