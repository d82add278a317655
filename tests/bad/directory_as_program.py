#@ run .
# A folder is not a program.
