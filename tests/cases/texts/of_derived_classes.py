# Text that is known later beside a `str` of a derived class, which has operators of its own.
from snekpy import stage


class Text(str):
    def __add__(self, other):
        return Text(str(self) + "+")

    def __radd__(self, other):
        return "reflected"

    def __mod__(self, other):
        return "mod"


class Plain(str):
    pass


def shown(value):
    return f"{type(value).__name__}({str(value)})"


text, plain = Text("ab"), Plain("cd")


@stage
def mixed(n):
    out = []
    for i in range(n):
        letter = chr(97 + (n + i) % 26)
        out.append(text + letter)
        out.append(letter + text)
        out.append(f"{i}" + text)
        out.append(text + f"{i}")
        out.append(text % i)
        out.append(plain + letter)
        out.append(letter + plain)
        out.append(plain + f"{i}")
    return out


for n in (1, 3, 2):
    print([shown(it) for it in mixed(n)])
