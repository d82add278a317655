#@ run -X snek:backend=gcc -c pass
# A backend that there is not.
