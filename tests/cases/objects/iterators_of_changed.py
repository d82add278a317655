# A builtin iterator over a dict or set that the call has changed, where compiled code is left.
import sys

from snekpy import stage


@stage
def sorted_map(n):
    h["q"] = 3
    for key in sorted(map(str, h)):
        k = n
        while k > 3:
            k -= 1
    return key


@stage
def mapped(n):
    h["q"] = n
    s.add(n)
    texts, numbers = map(str, h), filter(None, s)
    views = map(str, h.values()), map(max, s, h.values()), zip(s, h.items())
    sys._getframe()
    return list(texts), sorted(numbers), [list(view) for view in views]


@stage
def changed_after(n):
    texts = map(str, h)
    h["q"] = n
    sys._getframe()
    return list(texts)


for n in range(4, 7):
    for function in sorted_map, mapped, changed_after:
        h, s = {"k1": 1, "k2": 2.5}, {1}
        try:
            print(function(n))
        except RuntimeError as error:
            print(error)
