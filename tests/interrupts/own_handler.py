# The function that is interrupted handles it, and goes on with the variables that it had.
#@ change LIMIT = 2
LIMIT = 1000


def handles(start, n):
    i, total, seen = start, 0, []
    try:
        while i < n:
            total = total + i
            i = i + 1
            if total > LIMIT:
                total, i = 0, i + 1
    except Late:
        seen.append((i, total))
        for j in range(n):
            total += j
    else:
        seen.append("whole")
    finally:
        seen.append(i)
    return i, total, seen


staged = stage(handles)
interrupted(POLLS, CHANGE, lambda: staged(3, 25), "LIMIT")
interrupted(POLLS, CHANGE, lambda: staged(3, 50), "LIMIT")
