# The lists of an object change from call to call: the object is taken apart after the first one, and not known by a list
# after the other.
from snekpy import stage


class Net:
    def __init__(self):
        self.weights = [[[0.5, -0.25], [0.125, 0.75]], [[1.0, -1.0]]]
        self.biases = [[0.0, 0.5], [0.25]]

    def forward(self, x):
        layers = [x]
        for rows, biases in zip(self.weights, self.biases):
            x = [sum(w * v for w, v in zip(row, x)) + bias for row, bias in zip(rows, biases)]
            layers.append(x)
        return layers

    @stage
    def step(self, x, target, rate):
        layers = self.forward(x)
        error = [a - b for a, b in zip(layers[-1], target)]
        for j in range(len(self.weights[1])):
            for i in range(len(layers[1])):
                self.weights[1][j][i] -= rate * error[j] * layers[1][i]
            self.biases[1][j] -= rate * error[j]
        return error[0]


net = Net()
for call, x in enumerate([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 3):
    print(call, round(net.step(x, [x[0] - x[1]], 0.1), 9))
print(net.weights, net.biases)
