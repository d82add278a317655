"""Runs the programs of a folder one after the other, and says on a pipe which one is next. snekpy runs this.

    driver.py PIPE FOLDER COUNT

With 2 as PIPE it says so on standard error. What a program did to the interpreter that all of them share is
undone. The process ends with 70 when an exception says that snekpy is broken.
"""

import builtins
import os
import sys
import traceback

BUG = "this is a bug in snekpy"

write, leave, get, say_exception = os.write, os._exit, open, traceback.format_exception
dicts = [(names, dict(names)) for names in (vars(builtins), vars(sys), sys.modules)]
lists = [(items, list(items)) for items in (sys.path, sys.meta_path, sys.path_hooks)]


def restore():
    """Undoes what a program did to builtins and to `sys`. Uses no builtin: there may be none."""
    for names, before in dicts:
        names.clear()
        names.update(before)
    for items, before in lists:
        items[:] = before
    sys.settrace(None)
    sys.setprofile(None)


def run(path):
    with get(path, "rb") as file:
        program = file.read()
    try:
        exec(compile(program, "program.py", "exec"), {"__name__": "__main__", "__builtins__": builtins})
    except BaseException as error:
        text = "".join(say_exception(error))
        if BUG in text:
            write(2, text.encode(errors="replace"))
            leave(70)


pipe, folder, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number, path in [(number, f"{folder}/{number}.py") for number in range(count)]:
    try:
        write(pipe, b"%d\n" % number)
        run(path)
        restore()
    except BaseException:
        # Ctrl-C can come at any time, and an exception can refuse to be formatted.
        restore()
write(pipe, b"%d\n" % count)
