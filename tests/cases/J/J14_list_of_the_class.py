# J14: a list that belongs to the class grows at every call.
from snekpy import stage


class Model:
    items = []
    counts = {}
    total = 0

    @stage
    def add(self, x):
        Model.items.append(x)
        self.counts[x > 0] = self.counts.get(x > 0, 0) + 1
        return len(self.items)

    @stage
    def under_a_condition(self, x):
        if x > 0:
            self.items.append(-x)
        else:
            self.items.pop()
        return len(Model.items)

    @stage
    def shadowed(self, x):
        self.total += x
        return self.total, Model.total

    @stage
    def of_the_class(self, x):
        Model.total += x
        return self.total, Model.total


class Other(Model):
    items = ["other"]


model, another = Model(), Model()
print(model.add(1), model.add(2.5), another.add(-3), Model.items, Model.counts)
print(model.under_a_condition(7), model.under_a_condition(-1), another.under_a_condition(0.5), Model.items)
print(Other().add(9), Other.items, Model.items)
print(model.shadowed(2), model.shadowed(0.5), another.shadowed(1), Model.total)
print(model.of_the_class(10), another.of_the_class(10), Other().of_the_class(1), Model.total)
Model.items = []
print(model.add(1), another.add(2), Model.items)
model.items = [0, 0, 0]
print(model.add(4), Model.items, model.items)
