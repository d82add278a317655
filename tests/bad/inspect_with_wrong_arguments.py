#@ run inspect inspect_with_wrong_arguments.py::f --args "1 +"
# `snekpy inspect` with arguments that are no Python.
def f(x):
    return x + 1
