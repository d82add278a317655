# J01: what a staged method writes persists, at every call.
from snekpy import stage


class Model:
    def __init__(self):
        self.n = 0
        self.loss = None

    @stage
    def step(self, x):
        self.loss = x * x
        self.n += 1
        return self.n


model = Model()
for x in (1, 2.5, 3):
    print(model.step(x), model.n, model.loss)
