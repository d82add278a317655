# Snek, figure 10: a function that was marked, and the function that stages a call of it.
#@ golden sexpr stage_aggregate(4)
from snekpy import lms, stage


@lms
def aggregate(x):
    ret = 0
    while x > 0:
        ret = ret + x
        x = x - 1
    return ret


@stage
def stage_aggregate(x):
    return aggregate(x)


print(stage_aggregate(4), stage_aggregate(0), stage_aggregate(-1), stage_aggregate(100), stage_aggregate(2.5))
