# A tokenizer, a parser and an evaluator.
import re

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|(.))")


class Parser:
    def __init__(self, text):
        self.tokens = [(float(n) if n else None, op) for n, op in TOKEN.findall(text)]
        self.at = 0

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def sum(self):
        value = self.product()
        while self.peek() in ("+", "-"):
            op = self.take()[1]
            right = self.product()
            value = value + right if op == "+" else value - right
        return value

    def product(self):
        value = self.atom()
        while self.peek() in ("*", "/"):
            op = self.take()[1]
            right = self.atom()
            value = value * right if op == "*" else value / right
        return value

    def atom(self):
        number, op = self.take()
        if op == "(":
            value = self.sum()
            if self.take()[1] != ")":
                raise SyntaxError("expected )")
            return value
        if op == "-":
            return -self.atom()
        return number


for text in ("1 + 2 * 3", "(1 + 2) * -3", "8 / 4 / 2", "2 * (3 + 4) - 5 / 2"):
    print(text, "=", Parser(text).sum())
try:
    Parser("(1 + 2").sum()
except (SyntaxError, IndexError) as error:
    print(type(error).__name__)
