#!/usr/bin/env python3
"""How long after Ctrl-C a program hears of it, in milliseconds: `benches/ctrl_c.py --bin SNEKPY [--times 50]`.

Each row is a process that does one thing over and over, and is interrupted at a random moment, from the signal to the
line that its `except KeyboardInterrupt` prints. Run by any Python 3.
"""
import argparse
import random
import signal
import subprocess
import time

HEAD = """
import io, sys, time
from snekpy import stage

def main():
    print("ready", flush=True)
    try:
        work()
    except KeyboardInterrupt:
        print("caught", flush=True)
"""

PROGRAMS = {
    "plain": ("off", """
def work():
    k = 0
    while True:
        k = (k * 31 + 7) % 65537
"""),
    "compiled": ("always", """
@stage
def work():
    k = 0
    while True:
        k = (k * 31 + 7) % 65537
"""),
    "builtin": ("always", """
class Counter:
    i = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.i = (self.i * 31 + 7) % 65537
        return self.i

@stage
def work():
    return sum(Counter())
"""),
    "capturing": ("always", """
SOURCE = "def f(x):\\n    k = 0\\n" + "".join(f"    k += [x, {i}, 1.5][x & 1]\\n    r = (x, k) == (k, x)\\n" for i in range(60)) + "    return k\\n"

def work():
    while True:
        names = {}
        exec(SOURCE, names)
        stage(names["f"])(3)
"""),
    "compiling": ("always", """
SOURCE = "def f(x):\\n    k = 0\\n" + "".join(f"    if x > {i}: k += {i}\\n" for i in range(1500)) + "    return k\\n"

def work():
    while True:
        names = {}
        exec(SOURCE, names)
        stage(names["f"])(3)
"""),
    "host call": ("always", """
OUT = io.StringIO()

@stage
def work():
    k = 0
    while True:
        k = (k * 31 + 7) % 65537
        OUT.write("x")
        if k == 5:
            OUT.seek(0)
"""),
    "sleeping": ("always", """
@stage
def work():
    k = 0
    while True:
        k = (k * 31 + 7) % 65537
        time.sleep(0.002)
"""),
}


def once(binary, mode, program, pause):
    source = HEAD + program + "\nmain()\n"
    process = subprocess.Popen([binary, "-X", f"snek:stage={mode}", "-c", source], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(pause)
        begin = time.perf_counter()
        process.send_signal(signal.SIGINT)
        heard = process.stdout.readline()
        took = time.perf_counter() - begin
        assert heard == "caught\n", heard
        return took * 1e3
    finally:
        process.kill()
        process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="target/release/snekpy")
    parser.add_argument("--times", type=int, default=50)
    arguments = parser.parse_args()
    print(f"{'':12}{'median':>8}{'p90':>8}{'worst':>8}")
    for name, (mode, program) in PROGRAMS.items():
        took = sorted(once(arguments.bin, mode, program, random.uniform(0.05, 0.4)) for _ in range(arguments.times))
        print(f"{name:12}{took[len(took) // 2]:8.1f}{took[len(took) * 9 // 10]:8.1f}{took[-1]:8.1f}")


if __name__ == "__main__":
    main()
