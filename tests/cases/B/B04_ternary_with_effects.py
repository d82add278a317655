# B04: only the chosen arm has its effect.
from support import show


def say(word):
    print("  said", word)
    return len(word)


def f(c):
    return say("yes") if c else say("no")


show(f, True, False, True)
