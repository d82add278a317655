"""Runs a program beside another thread, which only waits: `snekpy beside.py PROGRAM`."""

import os
import sys
import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
del sys.argv[0]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
with open(sys.argv[0]) as file:
    program = compile(file.read(), sys.argv[0], "exec")
names = globals()
names["__file__"] = sys.argv[0]
for name in ("os", "sys", "threading", "file", "names"):
    del globals()[name]
exec(program)
