# F06: `finally` runs when a `return`, `break` or `continue` leaves the `try`.
from support import show


def returned(x, log):
    try:
        if x > 0:
            return "positive"
        log.append(x)
    finally:
        log.append("finally")
    return "other"


def looped(n, log):
    total = 0
    for i in range(n):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            total += 10 // (i + 1)
        finally:
            log.append(i)
            total += 100
    return total


def overridden(x):
    try:
        return 1 // x
    finally:
        if x < 0:
            return "finally"


show(returned, (1, []), (0, []), (-1.5, []))
show(looped, (0, []), (2, []), (6, []))
show(overridden, 1, -1, 0)
