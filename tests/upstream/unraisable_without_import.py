# An `atexit` function that raises while `builtins.__import__` raises as well ends the process with a panic.
#
# `run_unraisable` unwraps the import of `sys`. The same happens with a `__del__` that raises. The status is what the
# command makes of a panic.
#@ cpython    0 False
#@ rustpython 70 True
import subprocess
import sys

program = """
import atexit, builtins

def broken(*_):
    raise ImportError("broken")

atexit.register(lambda: 1 / 0)
builtins.__import__ = broken
"""
ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
print(ended.returncode, "unwrap" in ended.stderr or "panic" in ended.stderr)
