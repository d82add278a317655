# A logger whose handler only it holds: `logging` has a weak reference to each handler, and that is no reason not to compile
# a loop that logs.
import io
import logging

from snekpy import stage

out = io.StringIO()
log = logging.getLogger("training")
log.setLevel(logging.INFO)
log.addHandler(logging.StreamHandler(out))
log.propagate = False


@stage
def train(steps, rate):
    w = 0.5
    for i in range(steps):
        w = w * 0.99 + i * rate
        if i % 100 == 0:
            log.info("step %d: %.4f", i, w)
    return w


print(train(250, 0.001), train(250, 0.002), train(101, 0.003))
print(out.getvalue())
log.handlers.clear()
log.addHandler(logging.StreamHandler(out))
print(train(101, 0.004))
print(len(out.getvalue().splitlines()))
