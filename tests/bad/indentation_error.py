# A body that is not indented.
def f(x):
return x
