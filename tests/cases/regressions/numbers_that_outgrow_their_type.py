# What a rule says that an instruction gives, it may not give: `int` of a text past 64 bits.
from snekpy import stage


@stage
def mix(words):
    mixed = 0
    for word in words:
        mixed ^= int(word)
    return mixed


WORDS = [str(3**exponent) for exponent in range(80)]
for count in (30, 80, 35, 80, 60):
    print(mix(WORDS[:count]))
