# What is computed of constants is what is computed of variables, and words in comments and texts are no syntax.
import ast

NUMBERS = "0 1 2 -1 -7 10 0.0 -0.0 1.0 2.0 2.5 -2.5 0.1 7.0 1e10 1e300 5e-324 True False".split()
OPERATORS = "+ - * / // % **".split()


def value(text, **names):
    try:
        return repr(eval(text, names))
    except (ArithmeticError, ValueError) as e:
        return type(e).__name__


differ = 0
for a in NUMBERS:
    for b in NUMBERS:
        for op in OPERATORS:
            x, y = eval(a), eval(b)
            given = value(f"x {op} y", x=x, y=y)
            ways = [value(f"({a}) {op} ({b})"), value(f"(lambda: [({a}) {op} ({b})][0])()")]
            if ways != [given, given]:
                differ += 1
                print(a, op, b, given, ways)
print("differ:", differ)
print(2.0 // 2, 4.0 // 2, 3.0 // 1, 10.0 // 5.0, 1e10 // 10, 5.0 // 2, -4.0 // 2, 7.0 % 7, -7.0 % 7, 2.0 // 2 + 1)
print([2.0 // 2 for _ in range(2)], (lambda x=4.0 // 2: x)(), f"{6.0 // 3}", {8.0 // 4: 9.0 // 3}, 3**-5, 2.0**-1)


class Body:
    half = 9.0 // 3

    def method(self, x=4.0 // 2):
        return x + 2.0 // 2


print(Body.half, Body().method(), Body.method.__code__.co_firstlineno, Body.method.__defaults__)


def called(*args, **named):
    return args, sorted(named)


print(
    called(
        ["true"],
        check=True  # raise for errors
    )
)
print(called(1, x=2  # if it is for nothing, yield as import *
             ), called(a="one for two", b='for x in y'))
print(eval("called(1, a=2  # for all\n)"), ast.unparse(ast.parse("f(1, a=2  # for all\n)")))


class Outer:
    def method(self):
        class Inner:
            y: str = ""
            if True:
                x: int = 0
            else:
                z: float = 1.0

        return Inner


print(Outer().method().__annotations__, Outer().method().x, hasattr(Outer().method(), "z"))
for text in ("f(x for x in y, 1)", "f(a=1 for a in b)", "x = = 1", "def f(:", "2.0 // ", "f(**a, *b)", "1 = 2.0 // 2"):
    try:
        compile(text, "x", "exec")
        print("no error", text)
    except SyntaxError as e:
        print(type(e).__name__, e.lineno)
