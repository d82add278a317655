# This file is not UTF-8.
print("café")
