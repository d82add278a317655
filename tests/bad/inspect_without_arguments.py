#@ run inspect inspect_without_arguments.py::f
# `snekpy inspect` of a function that nobody calls.
def f(x):
    return x + 1
