# Ctrl-C in plain Python.
#@ interrupt 1500
print("begin", flush=True)
while True:
    pass
