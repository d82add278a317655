"""Interpreters of programs that are known: a number that chooses among instructions is known in the code of each."""

from snekpy import stage


def stack_machine(program, fuel):
    stack, names, pc, trace = [], {}, 0, 0
    while fuel > 0:
        fuel -= 1
        op, arg = program[pc]
        pc += 1
        if op == "push":
            stack.append(arg)
        elif op == "add":
            b = stack.pop()
            a = stack.pop()
            stack.append(a + b)
        elif op == "load":
            stack.append(names[arg])
        elif op == "store":
            names[arg] = stack.pop()
        elif op == "jlt":
            b = stack.pop()
            a = stack.pop()
            if a < b:
                pc = arg
        elif op == "jump":
            pc = stack.pop()
        elif op == "call":
            stack.append(pc)
            pc = arg
        elif op == "halt":
            break
        # Where the ways of all instructions meet.
        trace = (trace * 31 + pc) % 1000003
    return stack, names, pc, trace, fuel


def counting(limit):
    return [
        ("push", 0), ("store", "i"), ("push", 1), ("store", "p"),
        ("load", "i"), ("push", 1), ("add", None), ("store", "i"),
        ("load", "p"), ("load", "i"), ("add", None), ("store", "p"),
        ("load", "i"), ("push", limit), ("jlt", 4), ("halt", None),
    ]  # fmt: skip


def computed(target):
    # The last instruction goes where the stack says, counted from either end.
    return [("push", 3), ("push", target), ("jump", None), ("halt", None), ("push", 8), ("push", -5), ("jump", None),
            ("halt", None), ("halt", None)]  # fmt: skip


def calling(count):
    return [("push", 0), ("store", "n"), ("call", 6), ("call", 6), ("call", 6), ("halt", None),
            ("store", "r"), ("load", "n"), ("push", count), ("add", None), ("store", "n"), ("load", "r"),
            ("jump", None)]  # fmt: skip


def filling(limit):
    # The stack grows from round to round.
    return [("push", 0), ("store", "i"), ("load", "i"), ("push", 1), ("add", None), ("store", "i"), ("load", "i"),
            ("load", "i"), ("push", limit), ("jlt", 2), ("halt", None)]  # fmt: skip


def registers(program, x):
    registers = [x, 0, 0]
    pc = steps = 0
    while True:
        steps += 1
        name, *rest = program[pc]
        match name:
            case "inc":
                registers[rest[0]] += 1
                pc += 1
            case "dec":
                registers[rest[0]] -= 1
                pc += 1
            case "jz":
                pc = rest[1] if registers[rest[0]] == 0 else pc + 1
            case "out":
                return registers, steps


MOVING = (("jz", 0, 5), ("dec", 0), ("inc", 1), ("inc", 2), ("jz", 2, 7), ("jz", 0, 8), ("out",), ("out",), ("out",))
MOVING = (*MOVING[:4], ("jz", 0, 6), ("jz", 0, 6), ("out",), ("out",), ("out",))


def automaton(table, text):
    state = count = 0
    for char in text:
        name, onward, accepts = table[state]
        state = onward.get(char, 0)
        if accepts:
            count += len(name)
    return state, count


TABLE = [("start", {1: 1}, False), ("one", {1: 1, 2: 2}, False), ("two", {1: 1, 3: 3}, True), ("three", {}, True)]


def around(parts, n):
    total, at = 0, 0
    for i in range(n):
        kind, x = parts[at]
        at = (at + i) % len(parts)
        total = total * 3 + x if kind == "a" else total - int(x)
    return total, at


def backwards(parts, n):
    found, at = [], -1
    while n > 0:
        kind, x = parts[at]
        found.append(x * 2 if kind == "a" else x)
        at -= 1
        n -= 1
    return found


PARTS = [("a", 1), ("b", 2.5), ("a", 3), ("b", 7)]


def long(program, n):
    pc = total = 0
    while n > 0:
        op, x = program[pc]
        pc = (pc + 1) % len(program)
        total = total + x if op == "+" else total - x
        n -= 1
    return total


LONG = [("+" if i % 3 else "-", i) for i in range(100)]


class Machine:
    def __init__(self, program):
        self.program, self.pc, self.acc = program, 0, 0

    def run(self, fuel):
        while fuel > 0:
            op, x = self.program[self.pc]
            self.pc += 1
            fuel -= 1
            if op == "add":
                self.acc += x
            elif op == "back":
                self.pc -= x
            else:
                break
        return self.acc


def machine(x, fuel):
    made = Machine([("add", x), ("add", 2), ("back", 3), ("end", 0)])
    return made.run(fuel), made.pc


def nested(program, x):
    pc = total = 0
    while pc < len(program):
        op, count = program[pc]
        pc += 1
        for i in range(x):
            if op == "sum":
                total += i * count
            elif op == "skip" and i == 1:
                pc += count
            elif op == "stop":
                return total, pc, i
    return total, pc


NESTED = [("sum", 2), ("skip", 1), ("sum", 100), ("sum", 3), ("stop", 0), ("sum", 1)]


def attempt(function, *arguments):
    try:
        return function(*arguments)
    except (IndexError, KeyError, ValueError) as error:
        return type(error).__name__, str(error), error.__traceback__.tb_next.tb_lineno


stack_machine, registers, automaton, around, backwards, long, machine, nested = map(
    stage, (stack_machine, registers, automaton, around, backwards, long, machine, nested)
)
for round in range(4):
    print(attempt(stack_machine, counting(40 + round), 10**5))
    print(attempt(stack_machine, counting(40), 17 + round))
    for target in (3, 4, 7, -1, -5, -6, 9, -10):
        print(attempt(stack_machine, computed(target), 50))
    print(attempt(stack_machine, calling(round), 1000))
    print(attempt(stack_machine, filling(30 + round), 10**4))
    print(attempt(stack_machine, [("pop", 1)] * 3, 9), attempt(stack_machine, [("load", "x")], 9))
    for x in range(4):
        print(attempt(registers, MOVING, x + round))
    print(attempt(automaton, TABLE, [1, 2, 3, 1, 1, 2, 1, 2, 3] * (round + 2)))
    for n in (0, 1, 5, 30 + round):
        print(attempt(around, PARTS, n), attempt(backwards, PARTS, n), attempt(long, LONG, n * 9), attempt(machine, n, n))
        print(attempt(nested, NESTED, n))
