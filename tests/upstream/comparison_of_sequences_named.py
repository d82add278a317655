# `>=` of tuples whose items cannot be ordered is named `>` in the message.
#
# The operator is taken apart into `==` of the items and `>` of the first ones that differ.
#@ cpython    '>=' not supported between instances of 'NoneType' and 'int'
#@ rustpython '>' not supported between instances of 'NoneType' and 'int'
try:
    (None, 4) >= (4, 5)
except TypeError as error:
    print(error)
