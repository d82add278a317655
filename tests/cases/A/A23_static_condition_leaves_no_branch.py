# A23: a condition on what is known at staging: each mode is its own specialisation.
#@ golden ir layer("train", 3)
from support import show


def layer(mode, x):
    if mode == "train":
        x = x * 2
    else:
        x = x + 1
    return x


show(layer, ("train", 3), ("test", 3), ("train", 1.5), ("test", 1.5))
