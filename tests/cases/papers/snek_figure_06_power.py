# Snek, figure 6: the base is staged and the exponent 2, so that the recursion disappears. The paper's S-expression has
# the multiplication by 1 in it, which is not needed.
#@ golden sexpr run(3)
from snekpy import lms, stage


@lms
def run(x):
    def power(n, k):
        if k == 0:
            return 1
        else:
            return n * power(n, k - 1)

    return power(x, 2)


# Figure 12 calls it: the paper expects 100.
stage_x = stage(run)
print(stage_x(10), stage_x(0.5), stage_x(-3))
