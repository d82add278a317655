# A string that is another one after every iteration: no bound on the kinds of `word`.
from snekpy import stage


@stage(strict=True)
def spell(n):
    word = ""
    while n > 0:
        word = word + "ab"
        n -= 1
    return word


print(spell(3))
