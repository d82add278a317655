# Effects in callees, `finally` and `with`.
#@ change model.closed = -100
class Model:
    pass


class Counted:
    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.model.open = self.model.open + 1

    def __exit__(self, kind, error, trace):
        self.model.open = self.model.open - 1


def bump(model):
    model.steps = model.steps + 1


def nested(model, x, n):
    try:
        with Counted(model):
            while model.steps < n:
                try:
                    bump(model)
                    x = x * 0.5 + 1.0
                finally:
                    model.closed = model.closed + 1
    finally:
        model.loss = x


model = Model()
model.steps = model.closed = model.open = 0
staged = stage(nested)
interrupted(POLLS, CHANGE, lambda: staged(model, 1.0, 12), "model")
interrupted(POLLS, CHANGE, lambda: staged(model, 1.0, 24), "model")
