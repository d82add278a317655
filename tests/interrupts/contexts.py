# An exception is being handled, in the function or in a generator that it asks: it is the context of what is raised.
#@ change model.steps = -100
class Model:
    pass


def handling(model, n):
    try:
        raise ValueError(n)
    except ValueError:
        while model.steps < n:
            model.steps = model.steps + 1


def counting(model, n):
    try:
        raise KeyError(n)
    except KeyError:
        while model.steps < n:
            model.steps = model.steps + 1
            yield model.steps


def asking(model, n):
    total = 0
    try:
        raise ValueError(n)
    except ValueError:
        for step in counting(model, n):
            total = total + step
            for more in range(step % 3):
                total = total + more
    return total


model = Model()
model.steps = 0
for function in (handling, asking):
    staged = stage(function)
    interrupted(POLLS, CHANGE, lambda: staged(model, 12), "model")
    interrupted(POLLS, CHANGE, lambda: staged(model, 24), "model")
