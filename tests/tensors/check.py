"""Compares snekpy.numpy with what NumPy gave: `snekpy check.py expectations.txt known.txt`.

Everything is compared exactly but results of functions such as `exp` (to a few units in the last place: NumPy's own are
not exact) and of sums and products (which NumPy adds in another order): `compare.py`. `known.txt` lists the
expressions that differ on purpose, with the reason; one that does not differ any more is an error, too.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import snekpy.numpy as np
from compare import same
from inputs import inputs
from show import show


def main():
    names = inputs(np)
    known = {}
    for line in open(sys.argv[2]):
        if line.strip() and not line.startswith("#"):
            text, _, reason = line.rstrip("\n").partition("\t")
            known[text] = reason
    count, differ = 0, 0
    for line in open(sys.argv[1]):
        text, _, expected = line.rstrip("\n").partition("\t")
        count += 1
        found = show(text, names)
        if same(text, expected, found) == (text in known):
            differ += 1
            if text in known:
                print(f"{text}\n  is no known difference any more: {found}")
            else:
                print(f"{text}\n  NumPy  {expected}\n  snekpy {found}")
    print(f"{count} expressions, {len(known)} known differences, {differ} differ")
    sys.exit(differ != 0)


main()
