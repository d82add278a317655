# L01, L02, L03: there is no native tensor yet; a class of the program has shapes and dtypes, broadcasts, and says which
# two do not fit, at the line of the operator.
from support import show


class Tensor:
    """A matrix of numbers, row by row."""

    def __init__(self, items, shape, dtype):
        self.items, self.shape, self.dtype = items, shape, dtype

    def __getitem__(self, index):
        row, column = index
        # What has one row or column gives it for each.
        rows, columns = self.shape
        return self.items[(row if rows > 1 else 0) * columns + (column if columns > 1 else 0)]

    def __add__(self, other):
        if self.dtype != other.dtype:
            raise TypeError(f"{self.dtype} + {other.dtype}")
        shape = tuple(broadcast(a, b, self.shape, other.shape) for a, b in zip(self.shape, other.shape))
        rows, columns = shape
        items = [self[i, j] + other[i, j] for i in range(rows) for j in range(columns)]
        return Tensor(items, shape, self.dtype)

    def __matmul__(self, other):
        if self.shape[1] != other.shape[0]:
            raise ValueError(f"shapes {self.shape} and {other.shape} do not fit")
        items = []
        for i in range(self.shape[0]):
            for j in range(other.shape[1]):
                total = 0
                for k in range(self.shape[1]):
                    total += self[i, k] * other[k, j]
                items.append(total)
        return Tensor(items, (self.shape[0], other.shape[1]), self.dtype)


def broadcast(a, b, *shapes):
    if a != b and a != 1 and b != 1:
        raise ValueError("shapes {} and {} do not fit".format(*shapes))
    return max(a, b)


def matrix(rows, columns, x, dtype="float64"):
    return Tensor([x + i for i in range(rows * columns)], (rows, columns), dtype)


def sums(x, y):
    both = matrix(3, 1, x) + matrix(1, 4, y)
    return both.shape, both.items


def product(x, y):
    both = matrix(2, 3, x) @ matrix(3, 2, y)
    return both.shape, both.items


def add_of_others(x, y):
    a = matrix(2, 3, x)
    b = matrix(1, 4, y)
    return (a + b).items


def product_of_others(x, y):
    a = matrix(2, 3, x)
    return (a @ a).items


def of_two_dtypes(x, y):
    a = matrix(2, 2, x, "int32")
    return (a + matrix(2, 2, y, "float32")).items


def recovers(x, y):
    a, b = matrix(2, 3, x), matrix(3, 2, y)
    try:
        return (a + b).items
    except ValueError as error:
        return str(error), (a @ b).items


for function in (sums, product, add_of_others, product_of_others, of_two_dtypes, recovers):
    show(function, (1.0, 2.0), (1, 2), (0.5, 1))
