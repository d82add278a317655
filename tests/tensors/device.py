"""Every expression of the recording on a device, beside this machine: `snekpy device.py expectations.txt copied.txt`.

The arrays lie in the memory of the simulated GPU. What an expression gives must be the same: to the bit, but for doubles, of
which a device has functions of its own and sums in another order. `copied.txt` lists the expressions for which elements are
copied to this machine, with the reason; one that is not listed and warns is an error, and so is one that does not warn any more.
"""

import os
import re
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import snekpy
import snekpy.numpy as np
from compare import same
from inputs import inputs
from show import show

DEVICE = "simt"
#: What is shown of an expression that copies elements, where that is an error.
COPIES = "raises " + snekpy.ImplicitCopyWarning.__name__


def moved(made, text):
    """The inputs that an expression names, on the device: copied there by themselves, so that nobody has asked for them before."""
    named = {name: made[name] for name in re.findall(r"\w+", text) if name in made}
    there = {name: it.to(DEVICE) if isinstance(it, np.ndarray) else it for name, it in named.items()}
    there["A"] = lambda *args: made["A"](*args).to(DEVICE)
    return there


def back(result):
    """A result with its arrays on this machine: reading it is no copy that the expression makes."""
    if isinstance(result, np.ndarray):
        return result if result.device == "cpu" else result.to("cpu")
    if isinstance(result, (list, tuple)):
        return [back(it) for it in result]
    return result


def is_same(text, here, there):
    return here == there or here.split(" ")[0] in ("float64", "python") and same(text, here, there)


def main():
    names = inputs(np)
    copied = set()
    for line in open(sys.argv[2]):
        if line.strip() and not line.startswith("#"):
            copied.add(line.rstrip("\n"))
    count, differ = 0, 0
    for line in open(sys.argv[1]):
        text = line.partition("\t")[0]
        count += 1
        here = show(text, names, back)
        warnings.simplefilter("error", snekpy.ImplicitCopyWarning)
        there = show(text, moved(names, text), back)
        warns = there == COPIES
        if warns:
            warnings.simplefilter("ignore", snekpy.ImplicitCopyWarning)
            there = show(text, moved(names, text), back)
        if warns != (text in copied):
            differ += 1
            print(f"{text}\n  {'copies elements' if warns else 'copies none any more'}")
        if not is_same(text, here, there):
            differ += 1
            print(f"{text}\n  here      {here}\n  on {DEVICE}   {there}")
    print(f"{count} expressions, {len(copied)} copy elements, {differ} differ")
    sys.exit(differ != 0)


main()
