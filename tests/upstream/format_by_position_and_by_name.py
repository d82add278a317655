# A `%` format with both a positional and a named field refuses a mapping.
#
# CPython takes the mapping itself for the positional field.
#@ cpython    {'foo': 1} 1
#@ rustpython format requires a mapping
try:
    print("%s %(foo)s" % {"foo": 1})
except TypeError as error:
    print(error)
