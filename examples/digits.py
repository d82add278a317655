"""Learns to read handwritten digits: softmax regression with momentum, in one staged function.

`train` is what one would write for plain Python: loops over epochs, images, classes and pixels, with
numbers in arrays. `@stage` is the only line that is about speed. The function is compiled when it is
first called, and the same call without the compiler (`train_plain`) shows what that is worth.

    snekpy examples/digits.py
"""

import csv
import gzip
import math
import pathlib
import time
from array import array

from snekpy import stage

DATA = pathlib.Path(__file__).parent / "data" / "digits.csv.gz"
TESTING = 297
CLASSES = 10
PIXELS = 64
EPOCHS = 20
PLAIN_EPOCHS = 1


def read_digits():
    """The images to learn from and the images to test with, each as all pixels (from 0 to 1) and labels.

    The file is sorted by writer; the images to test with are taken evenly from all of it.
    """
    with gzip.open(DATA, "rt", newline="") as file:
        rows = list(csv.reader(file))
    learn, test = (array("d"), array("q")), (array("d"), array("q"))
    for number, row in enumerate(rows):
        images, labels = test if number * TESTING % len(rows) < TESTING else learn
        images.extend([int(pixel) / 16 for pixel in row[:PIXELS]])
        labels.append(int(row[PIXELS]))
    return learn, test


def train_plain(images, labels, weights, biases, speed, bias_speed, chance, losses, epochs, rate, momentum):
    """Changes `weights` and `biases` by one step for each image, and leaves the mean loss of each
    epoch in `losses`.

    Class `c` scores `biases[c]` plus the sum of the pixels times row `c` of `weights`; softmax makes
    the scores probabilities, and the loss is minus the logarithm of the right one. `speed` and
    `bias_speed` are the momentum; `chance` has room for the probabilities of one image.
    """
    classes = len(biases)
    pixels = len(weights) // classes
    samples = len(labels)

    for epoch in range(epochs):
        loss = 0.0
        for sample in range(samples):
            first = sample * pixels
            label = labels[sample]

            highest = -math.inf
            for c in range(classes):
                score = biases[c]
                for p in range(pixels):
                    score += weights[c * pixels + p] * images[first + p]
                chance[c] = score
                if score > highest:
                    highest = score

            total = 0.0
            for c in range(classes):
                chance[c] = math.exp(chance[c] - highest)
                total += chance[c]

            for c in range(classes):
                slope = chance[c] / total
                if c == label:
                    loss -= math.log(slope)
                    slope -= 1.0
                bias_speed[c] = momentum * bias_speed[c] - rate * slope
                biases[c] += bias_speed[c]
                for p in range(pixels):
                    w = c * pixels + p
                    speed[w] = momentum * speed[w] - rate * slope * images[first + p]
                    weights[w] += speed[w]
        losses[epoch] = loss / samples


def count_right(images, labels, weights, biases):
    """How many images get their own label."""
    classes = len(biases)
    pixels = len(weights) // classes
    right = 0
    for sample in range(len(labels)):
        best = -math.inf
        answer = -1
        for c in range(classes):
            score = biases[c]
            for p in range(pixels):
                score += weights[c * pixels + p] * images[sample * pixels + p]
            if score > best:
                best = score
                answer = c
        if answer == labels[sample]:
            right += 1
    return right


train = stage(train_plain)
test = stage(count_right)


def zeros(count):
    return array("d", [0.0]) * count


def fresh(epochs):
    """Weights, biases, their momentum, probabilities, losses: all zero."""
    return (*(zeros(count) for count in (CLASSES * PIXELS, CLASSES, CLASSES * PIXELS, CLASSES, CLASSES, epochs)),)


def main():
    known, unseen = read_digits()
    print(f"{len(known[1])} images to learn from, {len(unseen[1])} to test with")

    model = fresh(EPOCHS)
    weights, biases, losses = model[0], model[1], model[-1]
    start = time.perf_counter()
    train(*known, *model, EPOCHS, 0.003, 0.9)
    staged_time = time.perf_counter() - start
    for epoch, loss in enumerate(losses, 1):
        print(f"epoch {epoch:2}  loss {loss:.4f}")

    right = test(*unseen, weights, biases)
    print(f"{right} of {len(unseen[1])} unseen images read correctly: {right / len(unseen[1]):.1%}")

    plain = fresh(PLAIN_EPOCHS)
    start = time.perf_counter()
    train_plain(*known, *plain, PLAIN_EPOCHS, 0.003, 0.9)
    plain_time = time.perf_counter() - start
    if plain[-1][0] != losses[0]:
        raise SystemExit("the plain run and the staged run do not agree")

    staged_epoch, plain_epoch = staged_time / EPOCHS, plain_time / PLAIN_EPOCHS
    print(f"staged: {EPOCHS} epochs in {staged_time:.3f} s with compilation, {staged_epoch * 1000:.2f} ms an epoch")
    print(f"plain:  {PLAIN_EPOCHS} epoch in {plain_time:.3f} s, the same loss; {plain_epoch / staged_epoch:.0f} times as long")


if __name__ == "__main__":
    main()
