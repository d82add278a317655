import re


def tokenize(text):
    tokens, i = [], 0
    while i < len(text):
        ch = text[i]
        if ch.isspace():
            i += 1
        elif ch.isdigit():
            j = i
            while j < len(text) and (text[j].isdigit() or text[j] == "."):
                j += 1
            tokens.append(("num", float(text[i:j])))
            i = j
        elif ch in "+-*/()":
            tokens.append(("op", ch))
            i += 1
        else:
            raise SyntaxError(f"unexpected {ch!r} at {i}")
    return tokens


class Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.pos = 0

    def peek(self):
        return self.tokens[self.pos] if self.pos < len(self.tokens) else ("end", None)

    def next(self):
        token = self.peek()
        self.pos += 1
        return token

    def expr(self):
        value = self.term()
        while self.peek()[1] in ("+", "-"):
            if self.next()[1] == "+":
                value += self.term()
            else:
                value -= self.term()
        return value

    def term(self):
        value = self.factor()
        while self.peek()[1] in ("*", "/"):
            if self.next()[1] == "*":
                value *= self.factor()
            else:
                value /= self.factor()
        return value

    def factor(self):
        kind, value = self.next()
        if kind == "num":
            return value
        if value == "-":
            return -self.factor()
        if value == "(":
            value = self.expr()
            self.next()
            return value
        raise SyntaxError(value)


def evaluate(text):
    return Parser(tokenize(text)).expr()


def shunting_yard(text):
    precedence = {"+": 1, "-": 1, "*": 2, "/": 2}
    out, ops = [], []
    for token in re.findall(r"\d+\.?\d*|[-+*/()]", text):
        if token in precedence:
            while ops and ops[-1] != "(" and precedence[ops[-1]] >= precedence[token]:
                out.append(ops.pop())
            ops.append(token)
        elif token == "(":
            ops.append(token)
        elif token == ")":
            while ops[-1] != "(":
                out.append(ops.pop())
            ops.pop()
        else:
            out.append(float(token))
    while ops:
        out.append(ops.pop())
    return out


def rpn(tokens):
    stack = []
    for token in tokens:
        if isinstance(token, float):
            stack.append(token)
            continue
        b, a = stack.pop(), stack.pop()
        if token == "+":
            stack.append(a + b)
        elif token == "-":
            stack.append(a - b)
        elif token == "*":
            stack.append(a * b)
        else:
            stack.append(a / b)
    return stack[0]


def parse_json(text):
    def skip(i):
        while i < len(text) and text[i] in " \n\t":
            i += 1
        return i

    def value(i):
        i = skip(i)
        ch = text[i]
        if ch == "{":
            result = {}
            i = skip(i + 1)
            while text[i] != "}":
                key, i = string(i)
                i = skip(i)
                item, i = value(i + 1)
                result[key] = item
                i = skip(i)
                if text[i] == ",":
                    i = skip(i + 1)
            return result, i + 1
        if ch == "[":
            result = []
            i = skip(i + 1)
            while text[i] != "]":
                item, i = value(i)
                result.append(item)
                i = skip(i)
                if text[i] == ",":
                    i = skip(i + 1)
            return result, i + 1
        if ch == '"':
            return string(i)
        for word, meaning in (("true", True), ("false", False), ("null", None)):
            if text.startswith(word, i):
                return meaning, i + len(word)
        j = i
        while j < len(text) and text[j] in "+-.0123456789e":
            j += 1
        number = text[i:j]
        return (float(number) if "." in number else int(number)), j

    def string(i):
        j = i + 1
        while text[j] != '"':
            j += 1
        return text[i + 1 : j], j + 1

    return value(0)[0]


def walk(node, depth=0):
    if isinstance(node, dict):
        return 1 + sum(walk(child, depth + 1) for child in node.values())
    if isinstance(node, list):
        return 1 + sum(walk(child, depth + 1) for child in node)
    if isinstance(node, (int, float)) and not isinstance(node, bool):
        return depth
    return 0


def parse_ini(text):
    sections, current = {}, None
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1], {})
        else:
            key, _, value = line.partition("=")
            current[key.strip()] = value.strip()
    return sections


def parse_log(lines):
    levels, slow = {}, []
    for line in lines:
        date, level, rest = line.split(" ", 2)
        levels[level] = levels.get(level, 0) + 1
        if "took" in rest:
            ms = int(rest.rsplit(" ", 1)[1][:-2])
            if ms > 80:
                slow.append((date, ms))
    return levels, len(slow), sum(ms for _, ms in slow)


def brackets(text):
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for ch in text:
        if ch in "([{":
            stack.append(ch)
        elif ch in pairs:
            if not stack or stack.pop() != pairs[ch]:
                return False
    return not stack


def machine(text):
    state, comments, strings, length = "code", 0, 0, 0
    for ch in text:
        if state == "code":
            if ch == "#":
                state = "comment"
                comments += 1
            elif ch == '"':
                state = "string"
                strings += 1
            else:
                length += 1
        elif state == "comment":
            if ch == "\n":
                state = "code"
        elif ch == '"':
            state = "code"
    return comments, strings, length


def luhn(number):
    total = 0
    for i, digit in enumerate(reversed(number)):
        d = int(digit)
        if i % 2 == 1:
            d *= 2
            if d > 9:
                d -= 9
        total += d
    return total % 10 == 0


def luhn_all(numbers):
    return sum(1 for number in numbers if luhn(number))


EXPRESSION = " + ".join(f"({i} * 2.5 - {i + 1} / (3 + {i}))" for i in range(1, 80))
JSON = '{"name": "x", "items": [' + ", ".join('{"id": %d, "price": %d.5, "tags": ["a", "b"], "ok": true}' % (i, i) for i in range(120)) + "]}"
INI = "\n".join(f"[section{i}]\n# comment\nkey = value{i}\nnumber={i * 3}\n" for i in range(200))
LOG = [f"2024-01-{i % 28 + 1:02} {'INFO' if i % 3 else 'WARN'} request {i} took {i * 7 % 100}ms" for i in range(2000)]
BRACKETS = "([{}])" * 800 + "((((" + "))))"
CODE = 'x = 1 # one\ny = "text # no" + z\n' * 300
CARDS = [f"{4539578763621486 + i}" for i in range(80)]


def bench_expr():
    return evaluate(EXPRESSION)


def bench_tokens():
    return tokenize(EXPRESSION)


def bench_rpn():
    return rpn(shunting_yard(EXPRESSION))


def bench_json():
    return parse_json(JSON)


def bench_walk():
    return walk(parsed)


def bench_ini():
    return parse_ini(INI)


def bench_log():
    return parse_log(LOG)


def bench_brackets():
    return brackets(BRACKETS)


def bench_machine():
    return machine(CODE)


def bench_luhn():
    return luhn_all(CARDS)


parsed = parse_json(JSON)
K = [0]


def bench_expr_fresh():
    K[0] += 1
    return evaluate(EXPRESSION + f" + {K[0]}")
