# An array is equal to any object with a buffer of the same bytes. CPython compares arrays with arrays only.
#@ cpython    False
#@ rustpython True
from array import array

print(array("b", b"a") == b"a")
