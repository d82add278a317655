"""What no machine has memory for is a MemoryError at the line that wants it, and nothing else is lost."""
#@ reference snekpy: `snekpy.numpy` is not in CPython
import snekpy.numpy as np
from snekpy import stage

kept = np.zeros(3)


@stage
def large(n):
    global kept
    kept = kept + 1
    some = np.ones(4) * 2
    all = np.zeros((n, n))
    return float(all.sum() + some[0])


@stage
def grown(x, times):
    for i in range(times):
        try:
            x = np.concatenate((x, np.broadcast_to(x, (1 << 46, len(x))).reshape(-1)))
        except MemoryError:
            return i, x.shape
    return times, x.shape


for n in (10, 10**7, 20, 2**40, 2**62):
    try:
        print(large(n))
    except (MemoryError, ValueError) as error:
        trace = error.__traceback__.tb_next
        print(type(error).__name__, trace.tb_frame.f_code.co_name, trace.tb_lineno, kept.tolist())
print(kept, grown(np.ones(2), 3))
