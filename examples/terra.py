"""Python beside compiled code, after the paper on Terra.

    snekpy examples/terra.py

Kim et al.: "Terra: Imperative-Symbolic Co-Execution of Imperative Deep Learning Programs". Their figure 1 and table 1
show what keeps programs from being compiled: calls of libraries, objects that change, types that are known only when the
program runs, values that somebody wants to see in the middle. Here is one training loop for each of them, with numbers in
lists for the tensors. Each is compiled as a whole: the interpreter carries out the lines that are about texts and objects
(`crossings`), and the arithmetic between them is machine code.
"""

import collections
import io
import random
import re

from snekpy import stage

FEATURES = 6
LINE = re.compile(r"(\w+)=(-?[\d.]+)")


def examples(count, seed):
    """Points, and on which side of a plane they are."""
    source = random.Random(seed)
    points = [[source.uniform(-1.0, 1.0) for _ in range(FEATURES)] for _ in range(count)]
    flat = [x for point in points for x in point]
    labels = [1.0 if sum(point[:3]) > sum(point[3:]) else -1.0 for point in points]
    return flat, labels


@stage
def library_call(lines, xs, labels):
    """Figure 1(a), and BERT-CLS: a library reads the settings of each step, and one is told of the loss."""
    weights = [0.0] * FEATURES
    told = collections.deque()
    loss = 0.0
    for line in lines:
        rate = 0.1
        found = LINE.match(line)
        if found is not None and found.group(1) == "rate":
            rate = float(found.group(2))
        loss = 0.0
        for i in range(len(labels)):
            score = 0.0
            for k in range(FEATURES):
                score += weights[k] * xs[i * FEATURES + k]
            error = labels[i] - score
            loss += error * error
            for k in range(FEATURES):
                weights[k] += rate * error * xs[i * FEATURES + k]
        told.append((line, loss / len(labels)))
        if len(told) > 3:
            told.popleft()
    return told


class Schedule:
    """How much is dropped: it changes while the model is trained."""

    def __init__(self, drop):
        self.drop = drop


schedule = Schedule(0.8)
history = []


@stage
def object_mutation(xs, steps):
    """Figure 1(c), and DropBlock, MusicTransformer, SDPoint: the step changes an object that it reads."""
    total = 0.0
    for step in range(steps):
        if step % 50 == 49:
            schedule.drop = schedule.drop * 0.5
            history.append(f"{step}: {schedule.drop:.4f}")
        for x in xs:
            total += x * (1.0 - schedule.drop)
    return total


@stage
def dynamic_types(words, xs):
    """What a line means is known when it is read: a number, a name, nothing, or a word to stop at."""
    values = {"scale": 1.0}
    total, lines = 0.0, 0
    for word in words:
        name, _, text = word.partition(":")
        value = None
        if text.isdigit():
            value = int(text)
        elif text:
            value = text
        if value is None:
            if name == "stop":
                break
            continue
        if isinstance(value, int):
            values[name] = value * 0.5
        else:
            values[name] = values.get(value, 2.0)
        lines += 1
        scale = float(values["scale"])
        for x in xs:
            total += x * x * scale
    return total, lines, sorted(values.items())


marks = []


class Meter:
    """Somebody else's code, which knows nothing of staging."""

    def __init__(self, name, every):
        self.name = name
        self.every = every
        self.best = None

    def update(self, step, loss):
        if self.best is None or loss < self.best:
            self.best = loss
        if step % self.every == 0:
            marks.append((self.name, step, round(loss, 6)))
            return True
        return False


meter = Meter("loss", 40)


@stage
def third_party(xs, steps):
    """Table 1: an object of another library looks at the loss in each step."""
    x, told = 4.0, 0
    for step in range(steps):
        slope = 0.0
        for y in xs:
            slope += 2.0 * (x - y)
        x -= 0.01 * slope / len(xs)
        if meter.update(step, slope * slope):
            told += 1
    return x, told, meter.best


@stage
def prints_and_files(out, xs, steps):
    """A step prints now and then what it has come to, and writes a line to a file."""
    x, velocity = 1.0, 0.0
    for step in range(steps):
        for y in xs:
            velocity = velocity * 0.9 + (y - x) * 0.01
            x += velocity
        if step % 10 == 0:
            out.write(f"{step}\t{x:.6f}\n")
        if step % 100 == 0:
            print("step", step, "x", round(x, 6))
    return x


def run(scale=1):
    """Runs all of them; gives the staged functions with what they have given."""
    xs, labels = examples(40 * scale, 7)
    lines = [f"rate={0.2 / (1 + n // 8):.3f} momentum={n}" if n % 5 else f"# step {n}" for n in range(40)]
    words = ["scale:3", "bias:", "other:scale", "more:other", "scale:1"] * 12 + ["stop:", "scale:9"]
    out = io.StringIO()
    results = [
        (library_call, library_call(lines, xs, labels)),
        (object_mutation, object_mutation(xs, 200)),
        (dynamic_types, dynamic_types(words, xs)),
        (third_party, third_party(xs, 200)),
        (prints_and_files, prints_and_files(out, xs, 200)),
    ]
    return results, history, marks, out.getvalue().splitlines()[-2:]


def crossings(function):
    """How often compiled code of a function had the interpreter carry out an instruction, by what it is."""
    stats = function.stats()
    rows = stats["specialisations"] + [row for it in stats["reentries"] for row in it["specialisations"]]
    counts = collections.Counter()
    for row in rows:
        for crossing in row["crossings"]:
            counts[crossing["what"]] += crossing["count"]
    return counts


def main():
    results, *rest = run()
    for function, result in results:
        print(function.__name__, "gives", result)
        print("   carried out by the interpreter:", dict(crossings(function).most_common(4)))
    for it in rest:
        print(it)


if __name__ == "__main__":
    main()
