# Snek, figure 4: an assignment in an inner function makes a new variable; `nonlocal` changes the outer one.
from snekpy import lms, stage


@lms
def left():
    x = 'not affected'

    def h():
        x = 'inner x'
        return x

    return (h(), x)


@lms
def right():
    x = 'not affected by h'

    def h():
        nonlocal x
        x = 'inner x'
        return x

    return (h(), x)


@lms
def with_numbers(n):
    x = n

    def h():
        nonlocal x
        x = x * 2
        return x

    return (h(), x)


print(left(), stage(left)())
print(right(), stage(right)())
print(with_numbers(3), stage(with_numbers)(3), stage(with_numbers)(0.5))
