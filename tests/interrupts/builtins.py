# What a builtin does to a list is one step: no interruption finds half of it done.
#@ change model.items.append(-1)
class Model:
    pass


def longer(model, n):
    items = model.items
    step = 0
    while step < n:
        more = [step * k for k in range(step % 5 + 2)]
        items.extend(more)
        items += more
        more.reverse()
        items.extend(sorted(more)[:2])
        if step % 3 == 2:
            items.remove(0)
        items.reverse()
        step = step + 1
    return sum(items)


model = Model()
model.items = [3, 1, 0]
staged = stage(longer)
interrupted(POLLS, CHANGE, lambda: staged(model, 4), "model")
interrupted(POLLS, CHANGE, lambda: staged(model, 6), "model")
