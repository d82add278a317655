#@ run -c "1 +"
# A syntax error on the command line.
