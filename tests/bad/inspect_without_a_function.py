#@ run inspect inspect_without_a_function.py
# `snekpy inspect` of a file without a function.
def f(x):
    return x + 1
