#@ run -m no_such_module
# A module that does not exist.
