# Each round writes to an object, then a list, then an array, then the object again.
#@ change model.steps = 100; items[0] = -1
class Model:
    pass


def writes(model, items, numbers, n):
    while model.steps < n:
        model.steps = model.steps + 1
        items[0] = items[0] + 1
        numbers[0] = numbers[0] + 1
        model.loss = model.loss + 0.5


model, items, numbers = Model(), [0], array.array("q", [0])
model.steps, model.loss = 0, 0.0
staged = stage(writes)
interrupted(POLLS, CHANGE, lambda: staged(model, items, numbers, 20), "model", "items", "numbers")
call(lambda: staged(model, items, numbers, 30), "model", "items", "numbers")
