# `del` of a variable that a nested function uses raises nothing when the variable is not bound.
#
# `DELETE_DEREF` does not look whether the cell is empty.
#@ cpython    UnboundLocalError
#@ rustpython nothing is raised


def f():
    def g():
        return x

    del x
    x = 1
    return g


try:
    f()
    print("nothing is raised")
except NameError as error:
    print(type(error).__name__)
