#!/usr/bin/env python3
"""Throws damaged programs at snekpy and keeps those at which it falls over.

    tests/crash/fuzz.py [--seconds 600] [--seed 1] [--snekpy PATH] [--keep FOLDER]

The programs of tests and examples and those in docs are damaged, byte by byte or token by token. Most run
many to a process, each with names of its own; some run alone: as a file, with `-c`, from standard input, at
the prompt or under `inspect`. What a program does to the process (death by a signal, an exit status that no
program chooses, a panic, an exception that says snekpy is broken, a hang that the plain VM does not share) is
a finding. It is run again alone, its lines and tokens are deleted while it still fails, and what is left is
written to FOLDER, and what was said beside it: one for each place in the source that panicked, up to `SAMES`
where no place is known. What fails only after other programs is kept with them, as a folder `together-N`.

A program that fails in the same way with `-X snek:stage=off` fails in the plain VM; its file begins with
`plain`. Those that known.txt lists are counted and not kept. The exit status is 1 if anything was kept.

The n-th batch of a seed is always the same, while the programs of the repository are. They run in an empty
folder, with bounded memory and files, and contain no word that would reach outside (`programs.FORBIDDEN`).
"""

import argparse
import collections
import os
import pathlib
import random
import sys
import tempfile
import time

# Nothing is left behind beside the sources.
sys.dont_write_bytecode = True

from process import DRIVER, PATIENCE, WAYS, Snekpy, option  # noqa: E402
from programs import Corpus, tokens  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

#: Seconds for reducing one finding.
REDUCTION = 60
#: Programs of one process; a third as many run alone, in one of `ALONE` batches.
BATCH = 30
ALONE = 8
#: Findings that are kept under a label that names no place.
SAMES = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--snekpy", default=os.environ.get("SNEKPY_BIN") or str(ROOT / "target/debug/snekpy"))
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("findings"))
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="snekpy-fuzz-") as folder:
        snekpy = Snekpy(str(pathlib.Path(options.snekpy).resolve()), pathlib.Path(folder), ROOT / "tests/cases/support.py")
        fuzzer = Fuzzer(snekpy, options.seed, options.keep)
        fuzzer.run(options.seconds)
    print(fuzzer.summary())
    sys.exit(1 if fuzzer.found else 0)


def known():
    lines = (HERE / "known.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


class Fuzzer:
    """Runs damaged programs and keeps findings in the folder `keep`."""

    def __init__(self, snekpy, seed, keep):
        self.snekpy, self.seed, self.keep = snekpy, seed, keep
        self.corpus = Corpus(ROOT)
        self.known = known()
        self.found = collections.Counter()
        self.counts = collections.Counter()
        self.kept = 0
        self.end = None

    def run(self, seconds):
        start = time.monotonic()
        self.end = start + seconds
        while time.monotonic() < self.end:
            self.batch(self.counts["batches"])
            self.counts["batches"] += 1
        self.counts["seconds"] = round(time.monotonic() - start)

    def summary(self):
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        return "\n".join([f"seed {self.seed}: {counts}", *(f"{count} x {label}" for label, count in self.found.items())])

    def batch(self, number):
        """Makes the programs of batch `number` and runs them."""
        rng = random.Random(f"{self.seed} {number}")
        backend = rng.choice(("interp", "interp", "llvm"))
        if number % ALONE == ALONE - 1:
            programs = [(self.corpus.damaged(rng), rng.choice(WAYS)) for _ in range(BATCH // 3)]
            self.each_alone(programs, backend)
        else:
            self.all_together([self.corpus.damaged(rng, shares=True) for _ in range(BATCH)], backend)

    def each_alone(self, programs, backend):
        for program, way in programs:
            if time.monotonic() > self.end:
                return
            self.counts["programs"] += 1
            self.counts["alone"] += 1
            ended = self.snekpy.alone(program, backend, way)
            if ended.label:
                self.finding(program, backend, way, ended)

    def all_together(self, programs, backend):
        """Runs programs in one process, and those behind one that ends it in another."""
        while programs and time.monotonic() < self.end:
            run = self.snekpy.together(programs, backend)
            if run.current < 0:
                sys.exit(f"fuzz: the driver does not start: {run.ended.label}\n{run.ended.said}")
            begun = min(run.current + 1, len(programs))
            self.counts["programs"] += begun
            self.counts["interrupted"] += len(run.interrupted)
            for place in run.interrupted:
                deaf = run.ended.hangs and place == run.current
                self.slow(programs[place], backend, deaf)
            if run.ended.label and not run.ended.hangs:
                self.suspect(programs[:begun], backend, run.ended)
            programs = programs[begun:] if run.ended.label else []

    def slow(self, program, backend, deaf):
        """A program got Ctrl-C. It is a finding if it hangs alone, and not in the same way in the plain VM.

        `deaf`: Ctrl-C did not end it.
        """
        if deaf or not self.snekpy.alone(program, "off", "file", PATIENCE).hangs:
            ended = self.snekpy.alone(program, backend, "file")
            if ended.label:
                self.finding(program, backend, "file", ended)

    def suspect(self, programs, backend, ended):
        """The last program, or all of them together, ended the process."""
        alone = self.snekpy.alone(programs[-1], backend, "file")
        if alone.label:
            self.finding(programs[-1], backend, "file", alone)
        elif not self.is_seen(f"together: {ended.label}", ended):
            self.keep_together(programs, backend, ended)

    def finding(self, program, backend, way, ended):
        """A program failed alone: reduces it and writes it down if its failure is a new one."""
        other = self.snekpy.alone(program, "off", way)
        plain = other.label == ended.label or (ended.label == "hang" and other.hangs)
        if plain and (ended.hangs or ended.label in self.known):
            self.counts["hangs of any Python" if ended.hangs else "known"] += 1
        elif not self.is_seen(ended.label, ended):
            self.keep_alone(program, "off" if plain else backend, way, ended)

    def is_seen(self, label, ended):
        """Counts a finding. Returns whether there are enough like it."""
        self.counts["findings"] += 1
        self.found[label] += 1
        return self.found[label] > (1 if ended.located else SAMES)

    def keep_alone(self, program, mode, way, ended):
        def fails(parts):
            shorter = b"".join(parts)
            if self.snekpy.alone(shorter, mode, way).label != ended.label:
                return False
            # What never ends in the plain VM is another program.
            return mode == "off" or not ended.hangs or not self.snekpy.alone(shorter, "off", way).hangs

        end = time.monotonic() + REDUCTION
        lines = reduced(program.splitlines(keepends=True), fails, end)
        program = b"".join(reduced(tokens(b"".join(lines)), fails, end))
        path = self.keep / self.name("plain" if mode == "off" else "staged", ".py")
        path.write_bytes(program)
        arguments, _ = self.snekpy.given(program, way)
        note = f"as {way}, like: snekpy -X {option(mode)} {path if way in ('file', 'inspect') else arguments[0]}"
        again = self.snekpy.alone(program, mode, way)
        self.report(path, path.with_suffix(".txt"), note, again if again.label else ended)

    def keep_together(self, programs, backend, ended):
        def fails(some):
            return self.snekpy.together(some, backend).ended.label == ended.label

        if fails(programs):
            programs = reduced(programs, fails, time.monotonic() + REDUCTION)
        else:
            self.counts["not seen again"] += 1
        folder = self.keep / self.name("together", "")
        folder.mkdir(exist_ok=True)
        for number, program in enumerate(programs):
            (folder / f"{number}.py").write_bytes(program)
        note = f"PYTHONPATH={ROOT}/tests/cases snekpy -X {option(backend)} {DRIVER} 2 {folder} {len(programs)}"
        self.report(folder, folder / "said.txt", note, ended)

    def name(self, kind, suffix):
        self.kept += 1
        return f"{kind}-{self.seed}-{self.kept:02}{suffix}"

    def report(self, path, text, note, ended):
        text.write_text(f"{ended.label}\n{note}\n\n{ended.said[-6000:]}")
        print("NEW", ended.label, "->", path, flush=True)


def reduced(parts, fails, end):
    """The parts without those that can be left out, many at a time and then one at a time, until the time `end`."""
    size = max(1, len(parts) // 2)
    while size and time.monotonic() < end:
        before, place = len(parts), 0
        while place < len(parts) and time.monotonic() < end:
            shorter = parts[:place] + parts[place + size :]
            if shorter and fails(shorter):
                parts = shorter
            else:
                place += size
        # One at a time as often as it helps.
        size = size // 2 if size > 1 else int(len(parts) < before)
    return parts


if __name__ == "__main__":
    main()
