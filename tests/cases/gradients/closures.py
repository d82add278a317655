# Rules that see what is differentiated in another way than by their arguments: refused, never a silent zero.
#@ reference snekpy: differences refuse nothing
from snekpy import StagingError, custom_jvp, custom_vjp, grad

scale = [1.0]


@custom_vjp
def scaled(x):
    return x * scale[0]


scaled.defvjp(lambda x: (x * scale[0], None), lambda _, g: (g * 2.0,))


def outside(x):
    scale[0] = x
    try:
        return scaled(x)
    finally:
        scale[0] = 1.0


def known(x):
    return scaled(x) * x


class Holder:
    def __init__(self, value):
        self.value = value


@custom_jvp
def held(holder, x):
    return holder.value * x


held.defjvp(lambda primals, tangents: (primals[0].value * primals[1], primals[0].value * tangents[1]))


def inside(x):
    return held(Holder(x), x)


def beside(x):
    return held(Holder(2.0), x)


for function in (outside, known, inside, beside):
    try:
        print(function.__name__, grad(function)(3.0))
    except StagingError as error:
        print(function.__name__, str(error).splitlines()[0])
print(scale)
