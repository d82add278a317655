# A method that numbers do not have.
from snekpy import stage


@stage
def shout(x):
    if x > 0:
        return x.upper()
    return x


print(shout(-1))
print(shout(1))
