#@ run -
#@ input x = = 1\n
# A syntax error on standard input.
