# stdlib: the searches of `bisect` in their Python versions, with staged numbers to look for and staged bounds.
import sys

sys.modules["_bisect"] = None  # the native versions are not there: `bisect` keeps its own
import bisect

from support import show

ODD = [1, 3, 5, 7, 9, 11]
TWICE = [0, 1, 1, 1, 2.5, 2.5, 4]
WORDS = ["fig", "pear", "apple", "banana"]


def left(x):
    return bisect.bisect_left(ODD, x)


def right(x):
    return bisect.bisect_right(TWICE, x)


def both(x):
    return bisect.bisect_left(TWICE, x), bisect.bisect(TWICE, x)


def between(x, lo, hi):
    return bisect.bisect_left(ODD, x, lo, hi)


def right_between(x, lo, hi):
    return bisect.bisect_right(ODD, x, lo, hi)


def by_length(x):
    return bisect.bisect_left(WORDS, x, key=len)


def by_negative(x):
    return bisect.bisect_right([9, 6, 6, 2], -x, key=lambda item: -item)


def grade(score):
    return "FDCBA"[bisect.bisect([60, 70, 80, 90], score)]


def index(x):
    i = bisect.bisect_left(ODD, x)
    if i != len(ODD) and ODD[i] == x:
        return i
    raise ValueError("not there")


def find_lt(x):
    i = bisect.bisect_left(ODD, x)
    if i:
        return ODD[i - 1]
    raise ValueError("none below")


def find_ge(x):
    i = bisect.bisect_left(ODD, x)
    if i != len(ODD):
        return ODD[i]
    raise ValueError("none from there on")


show(left, 0, 1, 2, 6.5, 11, 12, -1, True, float("inf"), float("nan"))
show(right, 0, 1, 2.5, 4, 5, -0.0, -3)
show(both, 0, 1, 2.5, 3, 4.0)
show(between, (5, 0, 6), (5, 3, 6), (5, 0, 1), (5, 4, 2), (5.5, 0, None), (5, -1, 3))
show(right_between, (5, 0, 6), (5, 3, 6), (5, 0, 1), (5, 4, 2), (7.0, 0, None), (5, -2, 3))
show(by_length, 0, 3, 4, 4.5, 5, 7)
show(by_negative, 9, 6, 2, 1.5, 0, 10)
show(grade, 33, 99, 77, 70, 89.9, 90, 100, -1)
show(index, 1, 7, 11, 4, 12, 7.0)
show(find_lt, 12, 3, 2.5, 1, 0)
show(find_ge, 0, 3, 3.5, 11, 12)

# The functions themselves, staged. A list of numbers is staged number by number.
show(bisect.bisect_left, ([1, 2, 3], 2), ([], 2), ([1.5], 2), ([2, 2, 2], 2), ([1, 2, 3], 2, 2), ([1, 2, 3], 9, 0, 2))
show(bisect.bisect_right, ([1, 2, 3], 2), ([], 2), ([1.5], 2), ([2, 2, 2], 2), ([1, 2, 3], 2, 2), ([1, 2, 3], 9, 0, 2))
