#@ run inspect no_such_file.py::f
# `snekpy inspect` of a file that does not exist.
def f(x):
    return x + 1
