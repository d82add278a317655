# A warning is given where plain Python gives one, and is an error where warnings are.
#@ reference snekpy: CPython 3.11 does not warn of `~True`
import warnings
from snekpy import stage


@stage
def inverted(x):
    return ~x


@stage
def known(n):
    return ~True, n


for f in (inverted, known):
    for x in (True, False, 5):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            print(f(x), [str(w.message)[:40] for w in caught])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                print(f(x))
            except DeprecationWarning as e:
                print("DeprecationWarning", str(e)[:40])
