#@ run no_such_file.py
# A program that does not exist.
