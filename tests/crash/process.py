"""Runs programs with snekpy, one or many to a process, and says how that ended."""

import os
import pathlib
import re
import resource
import select
import signal
import subprocess
import time

DRIVER = pathlib.Path(__file__).resolve().parent / "driver.py"

#: Seconds for one program.
LIMIT = 10
#: Seconds until a program in a batch gets Ctrl-C, and a process after Ctrl-C is killed.
PATIENCE = 3
MEMORY = 4 << 30
FILE_SIZE = 1 << 20
CPU_SECONDS = 600
#: As much as is kept of what a process says.
SAID = 1 << 20

#: What only a broken snekpy says.
BROKEN = re.compile(r"panicked at|overflowed its stack|this is a bug in snekpy|memory allocation of|LLVM ERROR")
#: A program with one of these words chooses its exit status.
CHOOSES = re.compile(rb"\b(exit|quit|SystemExit)\b")
#: Where a panic is: the place in the source.
PANIC = re.compile(r"panicked at (?:\S*/registry/src/[^/]+/)?(\S+?:\d+)")
#: A line of a backtrace, and the functions of Rust's own library.
FRAME = re.compile(r"^ +\d+: (.+)$", re.MULTILINE)
RUST = re.compile(r"^<*(__rustc|rust_|core|std|alloc)\b")

#: The ways to give snekpy a program of its own process.
WAYS = ("file", "-c", "stdin", "prompt", "inspect")


class Ended:
    """How a process ended: `label` is None, or what is wrong with it, the same for the same fault."""

    def __init__(self, status, said, *, chosen=(0, 1, 2), hang=None):
        self.said = said.decode(errors="replace")
        self.label = hang or label_of(status, self.said, chosen)

    @property
    def hangs(self):
        return self.label is not None and self.label.startswith("hang")

    @property
    def located(self):
        """Whether the label names a place in the source, so that another finding has another label."""
        return self.label is not None and self.label.startswith("panic")


def label_of(status, said, chosen):
    if place := panic_place(said):
        return f"panic {place}"
    if mark := BROKEN.search(said):
        line = re.sub(r"@\w+", "@F", said[mark.start() :].splitlines()[0])
        return "says " + re.sub(r"\d+", "N", line)[:100]
    if status < 0 and status != -signal.SIGINT:
        return f"signal {signal.Signals(-status).name}"
    if status >= 0 and status not in chosen:
        return f"exit status {status}"
    return None


def panic_place(said):
    """The line that panicked; the function that called Rust's library if it panicked there."""
    panic = PANIC.search(said)
    if not panic:
        return None
    if not panic[1].startswith(("/rustc/", "/usr/src/rustc", "library/")):
        return f"at {panic[1]}"
    callers = [frame for frame in FRAME.findall(said[panic.end() :]) if not RUST.match(frame)]
    return f"in {callers[0]}" if callers else f"at {panic[1]}"


class Snekpy:
    """Starts snekpy in an empty folder, with bounded memory and files.

    `mode` is a backend, or `off`: without staging, as the plain VM.
    """

    def __init__(self, snekpy, folder, support):
        self.snekpy = snekpy
        self.box, self.programs, self.path = (folder / name for name in ("box", "programs", "path"))
        for each in (self.box, self.programs, self.path):
            each.mkdir()
        (self.path / "support.py").write_bytes(support.read_bytes())

    def alone(self, program, mode, way, limit=LIMIT):
        """Runs one program in a process of its own. One that hangs gets Ctrl-C, and is killed if it is deaf."""
        # `inspect` stages whatever the mode is; what corresponds to it in the plain VM is the program.
        arguments, stdin = self.given(program, "file" if mode == "off" and way == "inspect" else way)
        process = self.start(mode, arguments, subprocess.PIPE)
        hang = None
        try:
            said = process.communicate(stdin, timeout=limit)[1]
        except subprocess.TimeoutExpired:
            hang, said = interrupted(process)
        chosen = range(256) if CHOOSES.search(program) else (0, 1, 2)
        return Ended(process.returncode, said, chosen=chosen, hang=hang)

    def given(self, program, way):
        """The arguments and the standard input that give a program to snekpy in this way."""
        path = self.programs / "alone.py"
        path.write_bytes(program)
        if way == "-c" and b"\0" not in program and len(program) < 100_000:
            return ["-c", program], b""
        if way == "stdin":
            return ["-"], program
        if way == "prompt":
            return ["-i"], program
        function = re.search(rb"^def (\w+)\(([^()]*)\)", program, re.MULTILINE | re.ASCII)
        if way == "inspect" and function:
            count = len([name for name in function[2].split(b",") if name.strip()])
            return ["inspect", f"{path}::{function[1].decode()}", "--args", ", ".join(["2"] * count)], b""
        return [path], b""

    def together(self, programs, mode):
        """Runs programs in one process, one after the other."""
        for place, program in enumerate(programs):
            (self.programs / f"{place}.py").write_bytes(program)
        read, write = os.pipe()
        arguments = [DRIVER, str(write), self.programs, str(len(programs))]
        process = self.start(mode, arguments, subprocess.DEVNULL, [write])
        os.close(write)
        with process, open(read, "rb", buffering=0) as pipe:
            return Together(process, pipe, len(programs))

    def start(self, mode, arguments, stdin, pass_fds=()):
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.box),
            "PYTHONPATH": str(self.path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "NO_COLOR": "1",
            "RUST_BACKTRACE": "1",
        }
        return subprocess.Popen(
            [self.snekpy, "-X", option(mode), *arguments],
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.box,
            env=environment,
            pass_fds=pass_fds,
            preexec_fn=bounds,
        )


class Together:
    """A process that runs many programs: watches it until it ends, or ends it when it hangs.

    `ended` is how it ended, `current` the number of the last program that began (the number of programs if
    all of them ended), `interrupted` the programs that got Ctrl-C.
    """

    def __init__(self, process, pipe, count):
        self.process, self.pipe, self.count = process, pipe, count
        self.current, self.since = -1, time.monotonic()
        self.said, self.interrupted = b"", []
        hang = None if self.listen() else "hang"
        if hang:
            process.kill()
        self.ended = Ended(process.wait(), self.said, chosen=(0,), hang=hang)
        if self.ended.label is None and self.current < count:
            self.ended.label = "exit in the middle"

    def listen(self):
        """Listens until the process ends. Returns whether it did."""
        streams = [self.pipe, self.process.stderr]
        while streams:
            for stream in select.select(streams, [], [], 0.2)[0]:
                data = os.read(stream.fileno(), 1 << 16)
                if not data:
                    streams.remove(stream)
                elif stream is self.pipe:
                    self.current, self.since = int(data.split()[-1]), time.monotonic()
                else:
                    self.said = (self.said + data)[-SAID:]
            waited = time.monotonic() - self.since
            if waited > LIMIT + PATIENCE:
                return False
            if waited > PATIENCE and 0 <= self.current < self.count and self.current not in self.interrupted:
                self.interrupted.append(self.current)
                self.process.send_signal(signal.SIGINT)
        return True


def interrupted(process):
    """Ends a process that hangs. Returns what to call it and what it said."""
    # The first Ctrl-C may come where the program, or a destructor, swallows it.
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        try:
            return "hang", process.communicate(timeout=PATIENCE)[1]
        except subprocess.TimeoutExpired:
            pass
    process.kill()
    return "hang that Ctrl-C does not end", process.communicate()[1]


def option(mode):
    return "snek:stage=off" if mode == "off" else f"snek:backend={mode}"


def bounds():
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
