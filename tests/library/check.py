"""Functions of the standard library, and mutations of them, staged against plain.

    check.py same SEED CALLS [ROUND]
    check.py planted SEED MUTATIONS

Each round takes a line of `subjects.txt`, by turns with one instruction of the function exchanged (`mutate.py`), stages
it and calls it with random arguments. Each call is made as plain Python and staged, with arguments of its own: result,
exception with its traceback, and what has become of the arguments must be the same. With ROUND, only that one.
`planted` has the function staged as it is and plain with an instruction exchanged: that must show.
"""

import ast
import itertools
import pathlib
import random as randoms
import re
import signal
import sys
import types
import urllib.parse

FOLDER = pathlib.Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "src" / "fuzz")]

import arguments  # noqa: E402
import mutate  # noqa: E402
import prelude  # noqa: E402

from snekpy import StagedPlainlyWarning, StagingError, stage  # noqa: E402

# The modules that lines begin with.
MODULES = set(re.findall(r"[a-z_0-9]+(?=\.)", (FOLDER / "subjects.txt").read_text())) & set(sys.stdlib_module_names)
CALLS_IN_A_ROUND = 8
# How many rounds have an instruction exchanged.
MUTATED = 0.6
# A mutation may run for ever. A plain call that takes longer is not compared.
SECONDS = 0.5


class TooLong(BaseException):
    """A plain call has taken too long."""


class Subject:
    """A line of `subjects.txt`: a function, and the kinds of its arguments."""

    def __init__(self, text):
        self.text = text
        tree = ast.parse(text, mode="eval").body
        names = {it.id for it in ast.walk(tree) if isinstance(it, ast.Name)}
        self.kinds = sorted(filter(arguments.is_kind, names))
        # Written as `module.name` or `module.module.name`.
        modules = {name: __import__(name) for name in names if name in MODULES}
        self.function = eval(f"lambda {', '.join(self.kinds)}: ({text})", modules)
        if isinstance(tree, ast.Call) and not any(isinstance(it, ast.Starred) for it in tree.args):
            values = [*tree.args, *(it.value for it in tree.keywords)]
            named = eval(compile(ast.Expression(tree.func), text, "eval"), modules) if is_path(tree.func) else None
            if isinstance(named, types.FunctionType) and all(isinstance(it, ast.Name) and it.id in self.kinds for it in values):
                # The function itself, called by the names.
                self.function = named
                self.positional = [it.id for it in tree.args]
                self.keywords = {it.arg: it.value.id for it in tree.keywords}
                return
        self.positional, self.keywords = self.kinds, {}

    def arguments(self, seed):
        random = randoms.Random(seed)
        made = {kind: arguments.make(kind, random) for kind in self.kinds}
        return [made[it] for it in self.positional], {name: made[kind] for name, kind in self.keywords.items()}


def is_path(node):
    """Whether `node` is a name behind a module: `a.b.c`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def shown(function, subject, seed):
    """What a call gives and leaves, as a text."""
    positional, keywords = subject.arguments(seed)
    seen = {}
    try:
        result = function(*positional, **keywords)
        if hasattr(type(result), "__next__"):
            result = list(itertools.islice(result, 100))
        lines = ["= " + prelude.deep(result, seen)]
    except (StagingError, StagedPlainlyWarning):
        raise
    except Exception as error:
        lines = ["raises " + described(error)]
    lines.append("behind: " + prelude.deep([*positional, *keywords.values()], seen))
    return "\n".join(lines)


def described(error):
    """The exceptions with their tracebacks, without what stands in this file before the call."""
    texts = []
    while error is not None and len(texts) < 4:
        frames, trace = [], error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code is not shown.__code__:
                frames.append(f"{code.co_name}:{trace.tb_lineno}")
            trace = trace.tb_next
        if isinstance(error, RecursionError):
            return f"RecursionError at {frames[:1]}"
        texts.append(f"{type(error).__name__} {error} {prelude.deep(error.args, {})} at {' '.join(frames)}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return " | after ".join(texts)


def too_long(number, frame):
    raise TooLong


def plainly(function, subject, seed):
    """What the plain call gives, or None if it takes too long."""
    signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return shown(function, subject, seed)
    except TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run(subject, seed, planted):
    """One round: how many calls were compared, and the first that differs; None if there was nothing to plant."""
    random = randoms.Random(seed)
    function, said = subject.function, "as it is"
    if planted or random.random() < MUTATED:
        function, said = mutate.mutated(function, random) or (function, said)
    if planted and function is subject.function:
        return None
    staged = stage(subject.function if planted else function)
    for number in range(CALLS_IN_A_ROUND):
        # By turns the arguments of a call before: what was compiled for them is asked again.
        call = f"{seed}.{random.choice([number, 0, number // 2])}"
        expected = plainly(function, subject, call)
        if expected is None:
            return number, None
        found = shown(staged, subject, call)
        if expected != found:
            return number, f"{subject.text} ({said}), call {number}\n  plain  {expected}\n  staged {found}"
    return CALLS_IN_A_ROUND, None


def main():
    planted = {"same": False, "planted": True}[sys.argv[1]]
    seed, calls = int(sys.argv[2]), int(sys.argv[3])
    only = int(sys.argv[4]) if len(sys.argv) > 4 else None
    lines = (FOLDER / "subjects.txt").read_text().splitlines()
    subjects = [Subject(it) for it in lines if it and not it.startswith("#")]
    order = randoms.Random(seed)
    compared = differ = 0
    for number in itertools.count() if only is None else range(only + 1):
        if compared >= calls:
            break
        if number % len(subjects) == 0:
            order.shuffle(subjects)
        if only is not None and number != only:
            continue
        found = run(subjects[number % len(subjects)], f"{seed}.{number}", planted)
        if found is None:
            continue
        count, difference = found
        compared += 1 if planted else count
        if difference:
            differ += 1
            print(f"round {number}: {difference}", flush=True)
    print(f"{compared} {'mutations' if planted else 'calls'}, {differ} differ")


main()
