# K18: `str.format` reads attributes of objects, assigned in the call or between the calls.
from snekpy import stage


class O:
    pass


o = O()
o.n = 0


@stage
def assigned(v):
    o.n = v
    return "{0.n}".format(o), "{x.n} {y[0].n}".format(x=o, y=[o]), "{o.n}".format_map({"o": o})


@stage
def read(v):
    return "{0.n}".format(o), v


for v in (1, 2, 3):
    print(assigned(v), read(v))
    o.n = "other"
    print(read(v))
