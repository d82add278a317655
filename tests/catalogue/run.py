"""Runs the rows of an area of the catalogue strictly, and prints what comes of each: `run.py AREA`, in `cases`.

`compiled`: with `strict=True`, all of it; `crosses`: with `strict="leave"`, which allows that the VM carries out
instructions for compiled code, and not that it is left; `refused`: not even so. With the code of the refusal.
"""

import contextlib
import io
import re
import runpy
import sys

import snekpy

REAL = snekpy.stage


def rows(area):
    with open("../catalogue/rows.txt") as file:
        for line in file:
            row, program, *functions = line.partition(":")[0].split()
            if row[0] == area:
                yield row, f"{program}.py", functions


def refusal(program, functions, strict):
    """The code of the refusal that stops the program, if its functions are staged strictly; None: it prints what it must."""

    def stage(function=None, **options):
        if function is None:
            return lambda function: stage(function, **options)
        if not functions or getattr(function, "__name__", None) in functions:
            options["strict"] = strict
        return REAL(function, **options)

    snekpy.stage = stage
    sys.modules.pop("support", None)
    printed, error = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(program, run_name="__main__")
        except BaseException as raised:
            error = str(raised)
    with open(program[:-3] + ".out") as file:
        if printed.getvalue() == file.read():
            return None
    return (re.findall(r"\bS\d\d\d\b", error) or re.findall(r"\bS\d\d\d\b", printed.getvalue()) or ["without a code"])[0]


sys.path.insert(0, ".")
for row, program, functions in rows(sys.argv[1]):
    if code := refusal(program, functions, "leave"):
        print(row, "refused", code)
    elif code := refusal(program, functions, True):
        print(row, "crosses", code)
    else:
        print(row, "compiled")
