# `reverse` of `sorted` and `list.sort` must be a bool; CPython 3.14 takes any object for its truth.
#@ cpython    [2, 1]
#@ rustpython Expected type bool, not str
try:
    print(sorted([1, 2], reverse="x"))
except TypeError as error:
    print(error)
