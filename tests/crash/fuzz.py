#!/usr/bin/env python3
"""Throws damaged programs at snekpy and keeps those at which it falls over.

    tests/crash/fuzz.py [--seconds 600] [--seed 1] [--snekpy PATH] [--keep FOLDER]

The programs of tests/cases and examples and those in docs are damaged, byte by byte or token by token. Most
run many to a process, each with names of its own; some run alone, as a file, with `-c` or from standard
input. What a program does to the process (death by a signal, an exit status that no program chooses, a
panic, a hang) is a finding. A finding is run again alone, its lines are deleted while it still fails, and
what is left is written to FOLDER, one file for each distinct message, and what was said beside it.

A program that fails in the same way with `-X snek:stage=off` fails in the plain VM; its file begins with
`plain`. The n-th batch of a seed is always the same.

The programs run in an empty folder, with bounded memory and files, and contain no word that would reach
outside (`FORBIDDEN`).
"""

import argparse
import ast
import os
import pathlib
import random
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

LIMIT = 10  # seconds for one program
PATIENCE = 3  # seconds until a program in a batch gets Ctrl-C
REDUCTION = 60  # seconds for one finding
BATCH = 30
MEMORY = 4 << 30
FILE_SIZE = 1 << 20

#: No program contains one of these words, whatever was done to it.
FORBIDDEN = re.compile(
    rb"(?<![A-Za-z0-9_])(_?os|_?posix|nt|subprocess|_posixsubprocess|shutil|pathlib|tempfile|glob|_?io|fcntl|mmap"
    rb"|socket|_socket|select|selectors|asyncio|multiprocessing|_?thread|threading|concurrent|ctypes|_ctypes|faulthandler"
    rb"|importlib|_imp|_frozen_\w+|__import__|__loader__|__spec__|modules|runpy|pty|webbrowser|urllib|http|ftplib|smtplib"
    rb"|_?signal|resource|time|sleep|open|openat|remove|unlink|rmdir|rename|replace_file|truncate|write_text|write_bytes"
    rb"|mkdir|makedirs|system|popen|Popen|fork|kill|exec[lv]\w*|spawn\w*|input|breakpoint|pdb|code|gzip|zipfile|tarfile|bz2"
    rb"|lzma|sqlite3|dbm|shelve|pickle|marshal|logging|exit|_exit|quit|abort|SystemExit|__subclasses__|setrecursionlimit"
    rb"|panicked|RUST_BACKTRACE)(?![A-Za-z0-9_])"
)
#: What only a broken snekpy says.
BROKEN = re.compile(r"panicked|RUST_BACKTRACE|this is a bug in snekpy")

#: Runs the programs of a folder one after the other, and says on a pipe which one is next.
DRIVER = """
import builtins, io, os, sys, traceback
pipe, folder, first, last = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
names, modules, limit = dict(vars(builtins)), dict(sys.modules), sys.getrecursionlimit()
say, get, out, err = os.write, open, sys.stdout, sys.stderr
for number in range(first, last):
    try:
        with get(os.path.join(folder, "%d.py" % number), "rb") as file:
            program = file.read()
        say(pipe, b"%d\\n" % number)
        try:
            exec(compile(program, "program.py", "exec"), {"__name__": "__main__", "__builtins__": builtins})
        except BaseException as error:
            traceback.print_exception(error, file=io.StringIO())
        for name in set(vars(builtins)) - set(names):
            delattr(builtins, name)
        vars(builtins).update(names)
        for name in set(sys.modules) - set(modules):
            del sys.modules[name]
        sys.modules.update(modules)
        sys.stdout, sys.stderr = out, err
    except BaseException:
        pass
say(pipe, b"end\\n")
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--snekpy", default=os.environ.get("SNEKPY_BIN") or str(ROOT / "target/debug/snekpy"))
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("findings"))
    options = parser.parse_args()
    options.snekpy = str(pathlib.Path(options.snekpy).resolve())
    options.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="snekpy-fuzz-") as folder:
        fuzzer = Fuzzer(options, pathlib.Path(folder))
        end = time.monotonic() + options.seconds
        number = 0
        while time.monotonic() < end:
            fuzzer.batch(number, end)
            number += 1
        print(fuzzer.summary(number))
    sys.exit(1 if fuzzer.found else 0)


class Fuzzer:
    def __init__(self, options, folder):
        self.options = options
        self.box, self.programs, self.path = (folder / name for name in ("box", "programs", "path"))
        for each in (self.box, self.programs, self.path):
            each.mkdir()
        (self.path / "support.py").write_bytes((ROOT / "tests/cases/support.py").read_bytes())
        self.driver = folder / "driver.py"
        self.driver.write_text(DRIVER)
        self.corpus = Corpus()
        self.found = {}
        self.counts = dict.fromkeys(("programs", "alone", "interrupted", "findings", "not seen again"), 0)

    def summary(self, batches):
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        lines = [f"seed {self.options.seed}: {batches} batches, {counts}"]
        lines += [f"{count} x {label}" for label, count in self.found.items()]
        return "\n".join(lines)

    def batch(self, number, end):
        """Makes the programs of batch `number` and runs them."""
        rng = random.Random(f"{self.options.seed} {number}")
        backend = rng.choice(("interp", "interp", "llvm"))
        if number % 8 == 7:
            for _ in range(BATCH // 3):
                program = self.corpus.damaged(rng)
                way = rng.choice(("file", "-c", "stdin"))
                self.counts["programs"] += 1
                self.counts["alone"] += 1
                ended = self.alone(program, backend, way)
                if ended.failure:
                    self.finding(program, backend, way, ended)
                if time.monotonic() > end:
                    return
            return
        batch = [self.corpus.damaged(rng) for _ in range(BATCH)]
        for place, program in enumerate(batch):
            (self.programs / f"{place}.py").write_bytes(program)
        first = 0
        while first < len(batch) and time.monotonic() < end:
            last, reason, interrupted = self.together(first, len(batch), backend)
            for place in interrupted:
                if not self.alone(batch[place], "off", "file", PATIENCE).timed_out:
                    self.suspect(batch, place, backend, "hang")
            self.counts["programs"] += max(last - first, 0)
            if reason is None:
                return
            self.suspect(batch, last - 1, backend, reason)
            first = last

    def together(self, first, last, backend):
        """Runs programs in one process.

        Returns the number after the last one begun, why it stopped there, and those that Ctrl-C had to end.
        """
        read, write = os.pipe()
        arguments = [self.driver, str(write), self.programs, str(first), str(last)]
        process = self.start(backend, arguments, subprocess.DEVNULL, [write])
        os.close(write)
        said = b""
        current, since = first - 1, time.monotonic()
        reason, interrupted = None, []
        streams = [read, process.stderr.fileno()]
        while streams and reason is None:
            ready = select.select(streams, [], [], 0.2)[0]
            for stream in ready:
                data = os.read(stream, 1 << 16)
                if not data:
                    streams.remove(stream)
                elif stream == read:
                    if data.split()[-1] == b"end":
                        current = last
                    else:
                        current = int(data.split()[-1])
                    since = time.monotonic()
                else:
                    said = (said + data)[-(1 << 20) :]
            waited = time.monotonic() - since
            if first <= current < last and waited > PATIENCE and current not in interrupted:
                self.counts["interrupted"] += 1
                process.send_signal(signal.SIGINT)
                interrupted.append(current)
            if waited > LIMIT + PATIENCE and current < last:
                reason = "hang"
        os.close(read)
        if reason:
            process.kill()
        status = process.wait()
        process.stderr.close()
        if reason is None:
            reason = failure(status, said.decode(errors="replace"), chosen=(0,))
        if reason is None and current < last:
            reason = f"exit status {status}"
        if reason == "hang":
            interrupted.remove(current)
        return (last if reason is None else min(current, last - 1) + 1), reason, interrupted

    def suspect(self, batch, place, backend, reason):
        """Something happened while program `place` ran: it alone, or the batch, is a finding."""
        if place < 0:
            sys.exit(f"fuzz: the driver does not start: {reason}")
        ended = self.alone(batch[place], backend, "file")
        if ended.failure:
            self.finding(batch[place], backend, "file", ended)
        elif reason != "hang" or not self.alone(batch[place], "off", "file").timed_out:
            self.counts["not seen again"] += 1
            label = f"together: {reason}"
            self.found[label] = self.found.get(label, 0) + 1
            if self.found[label] == 1:
                folder = self.options.keep / f"together-{len(self.found)}"
                folder.mkdir(exist_ok=True)
                for number, program in enumerate(batch[: place + 1]):
                    (folder / f"{number}.py").write_bytes(program)
                (folder / "said.txt").write_text(f"backend {backend}\n{reason}\n")
                print("NEW", label, "->", folder, flush=True)

    def finding(self, program, backend, way, ended):
        """Reduces a program that fails alone, and writes it down if its failure is a new one."""
        if ended.failure == "hang":
            plain = self.alone(program, "off", way)
            if plain.timed_out:
                return
        self.counts["findings"] += 1
        first = label_of(ended)
        if self.found.get(first, 0):
            self.found[first] += 1
            return
        plain = self.alone(program, "off", way)
        kind = "plain" if label_of(plain) == first else "staged"
        mode = "off" if kind == "plain" else backend
        small = self.reduced(program, mode, way, first)
        ended = self.alone(small, mode, way)
        self.found[first] = 1
        path = self.options.keep / f"{kind}-{len(self.found):02}.py"
        path.write_bytes(small)
        path.with_suffix(".txt").write_text(f"{kind}, backend {backend}, as {way}\n{first}\n\n{ended.said[-6000:]}")
        print("NEW", kind, first, "->", path, flush=True)

    def reduced(self, program, backend, way, label):
        """Deletes lines, many at a time and then one at a time, and in the end parts of lines."""
        end = time.monotonic() + REDUCTION

        def fails(parts):
            return time.monotonic() < end and label_of(self.alone(b"".join(parts), backend, way)) == label

        parts = program.splitlines(keepends=True)
        for cut in (lambda text: text.splitlines(keepends=True), tokens):
            parts = cut(b"".join(parts))
            size = max(1, len(parts) // 2)
            while size and time.monotonic() < end:
                before, place = len(parts), 0
                while place < len(parts) and time.monotonic() < end:
                    shorter = parts[:place] + parts[place + size :]
                    if shorter and fails(shorter):
                        parts = shorter
                    else:
                        place += size
                size = size // 2 if size > 1 else (1 if len(parts) < before else 0)
        return b"".join(parts)

    def alone(self, program, backend, way, limit=LIMIT):
        """Runs one program in a process of its own."""
        stdin = subprocess.DEVNULL
        if way == "-c" and b"\0" not in program and len(program) < 100_000:
            arguments = ["-c", program]
        elif way == "stdin":
            stdin = subprocess.PIPE
            arguments = ["-"]
        else:
            path = self.programs / "alone.py"
            path.write_bytes(program)
            arguments = [path]
        process = self.start(backend, arguments, stdin)
        try:
            said = process.communicate(program if stdin == subprocess.PIPE else None, timeout=limit)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1]
            return Ended(None, said)
        return Ended(process.returncode, said)

    def start(self, backend, arguments, stdin, pass_fds=()):
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.box),
            "PYTHONPATH": str(self.path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NO_COLOR": "1",
        }
        option = "snek:stage=off" if backend == "off" else f"snek:backend={backend}"
        command = [self.options.snekpy, "-X", option, *arguments]
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.box,
            env=environment,
            pass_fds=pass_fds,
            preexec_fn=bounds,
        )


class Ended:
    """How one program ended. `status` is None if it did not."""

    def __init__(self, status, said):
        self.said = said.decode(errors="replace")
        self.timed_out = status is None
        self.failure = "hang" if status is None else failure(status, self.said)


def failure(status, said, chosen=(0, 1, 2)):
    """What is wrong with a process that ended with `status` and wrote `said`; None if nothing is."""
    if status < 0:
        return f"signal {signal.Signals(-status).name}"
    if BROKEN.search(said):
        return f"panic, exit status {status}"
    if status not in chosen:
        return f"exit status {status}"
    return None


def label_of(ended):
    """What tells one finding from another: the failure and the first line about it, without numbers."""
    if ended.failure is None:
        return None
    lines = [line.strip() for line in ended.said.splitlines() if line.strip()]
    place = next((at for at, line in enumerate(lines) if BROKEN.search(line) or "overflow" in line), None)
    if place is None:
        place = next((at for at, line in enumerate(lines) if "memory allocation" in line or "LLVM" in line), None)
    if place is None:
        return ended.failure
    text = " ".join(lines[place : place + 2])
    where = re.search(r"\S+\.rs:\d+", text)
    text = re.sub(r"\b\d+\b", "N", text.replace(where.group(0), "") if where else text)[:120]
    return f"{ended.failure}: {where.group(0) if where else ''} {text}"


def bounds():
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))


TOKEN = re.compile(
    rb'"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
    rb"|#[^\n]*|[ \t]+|\n|\d[\w.]*|[^\W\d]\w*|\*\*=|//=|>>=|<<=|\.\.\.|\*\*|//|<<|>>|->|:=|[-+*/%@&|^<>=!]=|.",
    re.DOTALL,
)
KEYWORDS = set(
    b"False None True and as assert async await break class continue def del elif else except finally for from global if"
    b" import in is lambda nonlocal not or pass raise return try while with yield match case type".split()
)
#: Numbers, operators and names that are rare in the programs and often special.
SPICE = [
    *b"0 1 -1 2 0.0 1.5 1e308 1e400 0x7fffffffffffffff 9223372036854775807 18446744073709551616 1j True False None".split(),
    *b"255 256 257 1000000 float('nan') float('inf') -0.0 '' () [] {} ... set() range(3) lambda: 0 b'' f'{0}'".split(b" "),
    *b"__class__ __dict__ __code__ __init__ __getattr__ __eq__ __hash__ __iter__ __next__ __call__ __del__ super".split(),
    *b"yield await async nonlocal global del lambda for while with try finally raise return break continue".split(),
    *b"Static stage stage_lambda locals globals vars type object print int float len sorted iter next zip map".split(),
]


def tokens(program):
    return TOKEN.findall(program)


def kind_of(token):
    if token.isspace() or token.startswith(b"#"):
        return "space"
    if token in KEYWORDS:
        return "keyword"
    if token[:1].isdigit():
        return "number"
    if token[:1] in b"\"'":
        return "string"
    if token[:1].isalpha() or token[:1] == b"_":
        return "name"
    return "bracket" if token in b"()[]{}:," else "operator"


class Corpus:
    """The programs, and what is made of them."""

    def __init__(self):
        found = []
        for folder in ("tests/cases", "examples"):
            for path in sorted((ROOT / folder).rglob("*.py")):
                if path.name != "support.py":
                    found.append(path.read_bytes())
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            found += re.findall(rb"```python\n(.*?)```", path.read_bytes(), re.DOTALL)
        self.programs = [program for program in map(harmless, found) if program and len(program) < 12_000]
        self.pool = {}
        for program in self.programs:
            for token in tokens(program):
                self.pool.setdefault(kind_of(token), set()).add(token)
        self.pool = {kind: sorted(members) for kind, members in self.pool.items()}

    def damaged(self, rng):
        """One program, damaged."""
        while True:
            program = rng.choice(self.programs)
            if rng.random() < 0.2:
                program = self.by_bytes(rng, program)
            else:
                wants_syntax = rng.random() < 0.85
                for _ in range(6):
                    candidate = self.by_tokens(rng, program)
                    if not wants_syntax or parses(candidate):
                        break
                program = candidate
            if not FORBIDDEN.search(program):
                return program

    def by_bytes(self, rng, program):
        data = bytearray(program)
        for _ in range(rng.choice((1, 1, 2, 4, 16))):
            at = rng.randrange(len(data) + 1)
            what = rng.randrange(7)
            if what == 0 and at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            elif what == 1:
                del data[at : at + rng.choice((1, 1, 2, 8, 64))]
            elif what == 2:
                data.insert(at, rng.randrange(256))
            elif what == 3:
                data[at:at] = rng.choice((b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf"))
            elif what == 4:
                data[at:at] = rng.choice((b"\r", b"\x0c", b"\t", b"\\\n", b"\x1a", "\u2028é\U0001f40d".encode()))
            elif what == 5:
                other = rng.randrange(len(data) + 1)
                data[at:at] = data[other : other + rng.choice((1, 4, 40))]
            else:
                data[at:at] = rng.choice((b"(", b"[", b"{", b"-", b"not ", b"f'{", b"lambda:")) * rng.choice((1, 3, 200))
            if not data:
                break
        return bytes(data)

    def by_tokens(self, rng, program):
        for _ in range(rng.choice((1, 1, 2, 2, 3, 5, 9))):
            program = self.line_damage(rng, program) if rng.random() < 0.3 else self.token_damage(rng, program)
        return program

    def token_damage(self, rng, program):
        parts = tokens(program)
        places = [at for at, part in enumerate(parts) if kind_of(part) != "space"]
        if len(places) < 2:
            return program
        at = rng.choice(places)
        kind = kind_of(parts[at])
        what = rng.randrange(8)
        if what == 0:
            parts[at] = b""
        elif what == 1:
            parts[at] += b" " + parts[at]
        elif what == 2:
            other = rng.choice(places)
            parts[at], parts[other] = parts[other], parts[at]
        elif what == 3:
            parts[at] = rng.choice(SPICE)
        elif what == 4:
            parts[at] = rng.choice(self.pool[kind])
        elif what == 5:
            own = [parts[place] for place in places if kind_of(parts[place]) in ("name", "number", "string")]
            parts[at] = rng.choice(own) if own else b"0"
        else:
            own = [parts[place] for place in places if kind_of(parts[place]) == kind]
            parts[at] = rng.choice(own)
        return b"".join(parts)

    def line_damage(self, rng, program):
        lines = program.splitlines(keepends=True)
        if not lines:
            return program
        at = rng.randrange(len(lines))
        what = rng.randrange(6)
        if what == 0:
            del lines[at]
        elif what == 1:
            lines.insert(at, lines[at])
        elif what == 2:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif what == 3:
            lines[at] = b"    " + lines[at]
        elif what == 4:
            lines[at] = lines[at].removeprefix(b"    ")
        else:
            indent = re.match(rb"[ \t]*", lines[at]).group(0)
            line = rng.choice(rng.choice(self.programs).splitlines() or [b"pass"])
            lines.insert(at, indent + line.strip() + b"\n")
        return b"".join(lines)


def harmless(program):
    """The program without the lines that contain a forbidden word."""
    lines = [line for line in program.splitlines(keepends=True) if not FORBIDDEN.search(line)]
    return b"".join(lines)


def parses(program):
    try:
        ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


main()
