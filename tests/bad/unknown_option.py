#@ run --no-such-option
# An option that there is not.
