"""`dict(zip(x, y))` of lists that code does not know: what is taken of the iterators, and which of them is shorter."""

from snekpy import stage


def pairs(texts, header):
    found = []
    for text in texts:
        row = dict(zip(header, text.split(",")))
        found.append((row.get("b"), len(row)))
    return found


def rest(texts, header):
    found = []
    for text in texts:
        keys, values = iter(header), iter(text.split(","))
        row = dict(zip(keys, values))
        found.append((row, list(keys), list(values)))
    return found


def strict(texts, header):
    found = []
    for text in texts:
        try:
            found.append(dict(zip(header, text.split(","), strict=True)))
        except ValueError as error:
            found.append(str(error))
    return found


def numbered(texts):
    return [dict(enumerate(text.split(","))) for text in texts]


def unhashable(texts, header):
    found = []
    for text in texts:
        try:
            found.append(dict(zip([header, text], text.split(","))))
        except TypeError as error:
            found.append(str(error))
    return found


class Counted:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for item in self.items:
            print("gives", item)
            yield item


def generated(texts, header):
    return [dict(zip(Counted(header), text.split(","))) for text in texts]


class Restarts:
    """An iterator that has more after its end."""

    def __init__(self, header):
        self.header, self.at = header, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        if self.at % 3 == 0:
            raise StopIteration
        return self.header[self.at % 3]


def restarting(texts, header):
    keys = Restarts(header)
    return [(dict(zip(keys, text.split(","))), keys.at) for text in texts]


TEXTS = ["1,2,3", "4,5", "6,7,8,9", "10", ""] * 8
HEADER = "a,b,c".split(",")

for function in pairs, rest, strict, unhashable, generated, restarting:
    staged = stage(function)
    for _ in range(3):
        print(function.__name__, staged(TEXTS, HEADER))
staged = stage(numbered)
for _ in range(3):
    print(staged(TEXTS))
