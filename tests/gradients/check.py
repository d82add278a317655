"""Gradients of random programs against differences and `jvp`, staged and unstaged.

    snekpy check.py SEED SECONDS [PROGRAMS]    prints what was compared; ends with 1 if something is wrong
    snekpy check.py --show SEED                prints one program

Derivatives must be those that differences give wherever the program is smooth, and those that `jvp` gives; the staged
ones have the bits of the unstaged ones. What is refused must be refused before it runs, and there may be little of it.
"""

import math
import random
import sys
import time

from snekpy import StagingError, grad, jvp, stage, value_and_grad

import programs

POINTS = [(0.3, -0.7, 3), (1.1, 0.45, 0), (-0.6, 0.9, 5)]
# How many of 100 programs may be refused: lists of a known length that a loop makes longer or shorter, in many ways.
REFUSED = 3
# From so many programs on.
FEW = 100


def bits(value):
    return [it.hex() for it in value] if isinstance(value, tuple) else value.hex()


def outcome(call):
    """What a call gives, or what it raises."""
    try:
        return call()
    except StagingError:
        raise
    except Exception as error:
        return type(error).__name__


def difference(f):
    """The derivative of a function of a step, where it is smooth."""

    def quotient(h):
        return (f(h) - f(-h)) / (2.0 * h)

    def bent(h):
        """How the slopes of both sides differ: where it is smooth, in proportion to the step."""
        return (f(h) - 2.0 * f(0.0) + f(-h)) / h

    try:
        coarse, fine, side = quotient(2e-5), quotient(1e-5), (f(1e-5) - f(0.0)) / 1e-5
        bend, bends = bent(1e-5), bent(2e-5)
        near, far = (f(1e-7) - f(0.0)), (f(0.0) - f(-1e-7))
    except Exception:
        return None
    scale = 1.0 + abs(coarse)
    if not math.isfinite(coarse) or abs(coarse - fine) > 2e-6 * scale or abs(side - fine) > 1e-2 * scale:
        return None
    if abs(near - far) > 1e-8 * scale:
        return None
    if abs(bend) > 1e-6 * scale and abs(bends - 2.0 * bend) > 0.5 * abs(bend):
        return None
    # What is so large, or grows so fast, may turn faster than any step, and what is added to it is lost in differences.
    if scale > 1e5 or abs(f(0.0)) > 1e5:
        return None
    return (4.0 * fine - coarse) / 3.0


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * (1.0 + max(abs(a), abs(b))) or a != a and b != b


class Wrong(Exception):
    pass


def functions(text):
    space = {"__name__": "program"}
    exec(compile(text, "<program>", "exec"), space)
    return space["f"]


def check(text, counts):
    f = functions(text)
    gradient = grad(f, argnums=(0, 1))
    both = value_and_grad(f, argnums=(0, 1))

    def called(x, y, n):
        return grad(f, argnums=(0, 1))(x, y, n)

    def looped(x, y, n):
        s, t = 0.0, 0.0
        for i in range(2):
            u, v = grad(f, argnums=(0, 1))(x + s * 0.0, y, n)
            s, t = s + u, t + v
        return s * 0.5, t * 0.5

    def known(n):
        return stage(lambda x, y: grad(f, argnums=(0, 1))(x, y, n))

    staged, staged_loop, of_staged = stage(called), stage(looped), grad(stage(f), argnums=(0, 1))
    rng = random.Random(text)
    for x, y, n in POINTS:
        at = f"at ({x}, {y}, {n})"
        value = outcome(lambda: f(x, y, n))
        found = outcome(lambda: gradient(x, y, n))
        if isinstance(value, str) or isinstance(found, str):
            if value != found:
                raise Wrong(f"{at}: the function gives {value}, its gradient {found}")
            counts["raise"] += 1
        else:
            again, _ = both(x, y, n)
            if bits(value) != bits(again):
                raise Wrong(f"{at}: value_and_grad gives {again}, the function {value}")
        for name, other in (
            ("staged", staged),
            ("in a staged loop", staged_loop),
            ("of the staged function", of_staged),
            ("staged for this count", lambda x, y, n: known(n)(x, y)),
        ):
            given = outcome(lambda: other(x, y, n))
            same = given == found if isinstance(given, str) or isinstance(found, str) else bits(given) == bits(found)
            if not same and name == "in a staged loop" and not isinstance(given, str):
                same = all(near(a, b, 1e-15) for a, b in zip(given, found))
            if not same:
                raise Wrong(f"{at}: {name} {given}, unstaged {found}")
        if isinstance(found, str):
            continue
        s, t = rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)
        _, along = jvp(lambda x, y: f(x, y, n), (x, y), (s, t))
        product = s * found[0] + t * found[1]
        if not near(product, along, 1e-9):
            raise Wrong(f"{at}: backwards {product}, forwards {along}")
        counts["jvp"] += 1
        for by, step in enumerate([lambda h: f(x + h, y, n), lambda h: f(x, y + h, n)]):
            expected = difference(step)
            if expected is None:
                counts["not smooth"] += 1
                continue
            counts["compared"] += 1
            counts["other than zero"] += found[by] != 0.0
            if not near(expected, found[by], 1e-5):
                raise Wrong(f"{at}, by argument {by}: differences {expected}, found {found[by]}")


def main(seed, seconds, wanted):
    began = time.time()
    counts = dict.fromkeys(["compared", "other than zero", "jvp", "not smooth", "raise", "refused"], 0)
    refusals, features, wrong, made = {}, {}, 0, 0
    while time.time() - began < seconds and (wanted is None or made < wanted) and wrong < 5:
        program = programs.Program(seed + made)
        text = program.text()
        made += 1
        for feature in program.features:
            features[feature] = features.get(feature, 0) + 1
        try:
            check(text, counts)
        except StagingError as error:
            counts["refused"] += 1
            reason = str(error).splitlines()[0]
            refusals[reason] = refusals.get(reason, []) + [seed + made - 1]
        except Exception as error:
            wrong += 1
            print(f"program {seed + made - 1}: {type(error).__name__}: {error}\n{text}")
    print(f"{made} programs in {time.time() - began:.0f} s, {wrong} wrong;", ", ".join(f"{counts[it]} {it}" for it in counts))
    print("with", ", ".join(f"{it}: {features[it]}" for it in sorted(features)))
    for reason in sorted(refusals, key=lambda it: -len(refusals[it])):
        print(f"refused {len(refusals[reason])}: {reason}; {refusals[reason][:4]}")
    # A few programs on a busy machine say nothing about shares.
    if made >= FEW and (counts["refused"] * 100 > REFUSED * made or counts["other than zero"] < made):
        print("that is not enough")
        wrong += 1
    sys.exit(wrong > 0)


if sys.argv[1] == "--show":
    print(programs.Program(int(sys.argv[2])).text(), end="")
else:
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None)
