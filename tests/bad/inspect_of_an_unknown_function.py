#@ run inspect inspect_of_an_unknown_function.py::g
# `snekpy inspect` of a function that is not in the file.
def f(x):
    return x + 1
