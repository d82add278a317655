# A bracket that is not closed.
def f(x):
    return (x + 1


print(f(1))
