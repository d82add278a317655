# An assertion with a message.
from snekpy import stage


@stage
def checked(x):
    assert x > 0, "x must be positive"
    return x


print(checked(1))
print(checked(-1))
