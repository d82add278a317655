"""Whether what an interrupted program has shown is what plain Python may show.

    snekpy -X snek:stage=off oracle.py FOLDER

For each program NAME.py of the folder, NAME.out is what it printed when compiled code was interrupted. Here it runs as
plain Python, interrupted at an instruction, and again at another one, until it prints the same; what loops and functions
begin with comes first, since that is where compiled code looks up. Prints for each program its name, and `same`,
`differs`, `long` (there were too many instructions to try) or `left`, when enough differ.
"""

import contextlib
import io
import marshal
import re
import sys
import time
from pathlib import Path

MONITORING = sys.monitoring
#: An instruction is executed; those that begin functions, and go on behind a `yield`, are told by themselves.
EVENTS = (MONITORING.events.INSTRUCTION, MONITORING.events.PY_START, MONITORING.events.PY_RESUME)
TOOL = 3
#: A program is given up after so many seconds.
PATIENCE = 20.0
#: After so many that differ, no more are asked about: all moments have to be tried to know that one differs.
ENOUGH = 3


#: While instructions are watched, it adds an entry to the traceback where an exception goes on behind `finally`: of the
#: entries of one function that follow one another, the last says where it was raised.
REPEATED = re.compile(r"\b(\w+):[-+]\d+ (?=\1:[-+]\d)")


def normal(text):
    return REPEATED.sub("", text)


class Differs(BaseException):
    """The program prints something else."""


class Compared(io.TextIOBase):
    """Standard output that must become a given text, line by line: what is normal is a matter of whole lines."""

    def __init__(self, expected):
        self.expected, self.at, self.begun = expected, 0, ""

    def write(self, text):
        lines, newline, self.begun = (self.begun + text).rpartition("\n")
        self.compare(lines + newline)
        return len(text)

    def compare(self, text):
        if self.expected is None:
            return
        text = normal(text)
        if not self.expected.startswith(text, self.at):
            raise Differs
        self.at += len(text)

    def is_complete(self):
        self.compare(self.begun)
        return self.expected is None or self.at == len(self.expected)


class Moments:
    """The instructions that are executed while a call is watched, and what happens at one of them."""

    def __init__(self, file, calls):
        self.file = file
        #: How many calls come before the one that is interrupted.
        self.calls_before = calls
        self.seen = []
        self.wanted = self.arrive = None

    def arrange(self, _moment, change):
        if self.calls == 0:
            self.arrive = lambda: self.space["arrive"](change)
            MONITORING.set_events(TOOL, sum(EVENTS))
        self.calls -= 1

    def no_more(self):
        MONITORING.set_events(TOOL, 0)

    def at_instruction(self, code, offset):
        is_driver = code.co_filename == self.file and code.co_name in self.space["HIDDEN"]
        if is_driver or code.co_filename == __file__:
            return
        if self.wanted is None:
            self.seen.append((id(code), offset))
            return
        self.count += 1
        if self.count > self.wanted:
            self.no_more()
            self.arrive()

    def run(self, program, wanted, expected):
        """Whether the program prints what is expected when it is interrupted at this instruction."""
        self.wanted, self.count, self.calls = wanted, 0, self.calls_before
        self.space = {"__name__": "__main__", "__file__": self.file, "ARRANGE": (self.arrange, self.no_more)}
        output = Compared(expected)
        try:
            with contextlib.redirect_stdout(output):
                # Code of its own: the interpreter rewrites instructions that have run some fifty times.
                exec(marshal.loads(program), self.space)
            return output.is_complete()
        except Differs:
            return False
        finally:
            self.no_more()


def candidates(seen):
    """The positions of instructions, first those that a jump back, or a call, has come to."""
    first, rest, last = [], [], {}
    for position, (code, offset) in enumerate(seen):
        begins = last.get(code, 1 << 30) >= offset
        (first if begins else rest).append(position)
        last[code] = offset
    return first + rest


def verdict(source, expected):
    expected = normal(expected)
    moments = Moments(str(source), expected.split("   interrupted\n")[0].count("   in peace\n"))
    program = marshal.dumps(compile(source.read_text(), moments.file, "exec"))
    for event in EVENTS:
        MONITORING.register_callback(TOOL, event, moments.at_instruction)
    moments.run(program, None, None)
    until = time.monotonic() + PATIENCE
    tried = candidates(moments.seen)
    for number, wanted in enumerate(tried):
        if moments.run(program, wanted, expected):
            return f"same {number} {len(tried)}"
        if time.monotonic() > until:
            return f"long {number} {len(tried)}"
    return f"differs {len(tried)}"


def main():
    MONITORING.use_tool_id(TOOL, "oracle")
    differ = 0
    for expected in sorted(Path(sys.argv[1]).glob("*.out")):
        source = expected.with_suffix(".py")
        found = verdict(source, expected.read_text()) if differ < ENOUGH else "left"
        differ += found.startswith("differs")
        print(source.stem, found, flush=True)


main()
