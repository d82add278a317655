"""How arrays.py and arrays_peers.py time a program."""

import json
import time


def timed(labels, wait, call, moved, operations, calls, steps=1):
    """Prints a line of JSON: the labels, and the times of a step in milliseconds, of five rounds of so many calls of some steps."""
    wait(call())
    wait(call())
    rounds = []
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(calls):
            out = call()
        wait(out)
        rounds.append((time.perf_counter() - began) / (calls * steps))
    rounds.sort()
    line = {**labels, "ms": rounds[2] * 1e3, "best": rounds[0] * 1e3, "worst": rounds[4] * 1e3}
    if moved:
        line["GB/s"] = moved / rounds[2] / 1e9
    if operations:
        line["TFLOP/s"] = operations / rounds[2] / 1e12
    print(json.dumps(line), flush=True)
