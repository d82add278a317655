"""Mutations of functions, on their bytecode: the source of a frozen module is not there."""

import opcode
import types

# What takes the place of what: arithmetic by operands of BINARY_OP, comparisons by the upper bits of COMPARE_OP.
BINARY = {operand: text for operand, (_, text) in enumerate(opcode._nb_ops)}
SAME_SHAPE = ("+", "-", "*", "//", "%", "&", "|", "^")
SWAPPED = {
    "POP_JUMP_IF_FALSE": "POP_JUMP_IF_TRUE",
    "POP_JUMP_IF_TRUE": "POP_JUMP_IF_FALSE",
    "POP_JUMP_IF_NONE": "POP_JUMP_IF_NOT_NONE",
    "POP_JUMP_IF_NOT_NONE": "POP_JUMP_IF_NONE",
}


def places(code):
    """`(offset, other opcode, other operand)` for each instruction that can be another one."""
    found = []
    bytecode = code.co_code
    for offset in range(0, len(bytecode), 2):
        name, operand = opcode.opname[bytecode[offset]], bytecode[offset + 1]
        if name in SWAPPED:
            found.append((offset, opcode.opmap[SWAPPED[name]], operand))
        elif name == "LOAD_SMALL_INT":
            found.append((offset, bytecode[offset], operand + 1 if operand < 255 else 0))
            found.append((offset, bytecode[offset], operand - 1 if operand > 0 else 1))
        elif name == "COMPARE_OP":
            for other in range(6):
                if other != operand >> 5:
                    found.append((offset, bytecode[offset], other << 5 | operand & 31))
        elif name in ("IS_OP", "CONTAINS_OP"):
            found.append((offset, bytecode[offset], operand ^ 1))
        elif name == "BINARY_OP" and BINARY.get(operand) in SAME_SHAPE:
            for other, text in BINARY.items():
                if text in SAME_SHAPE and other != operand:
                    found.append((offset, bytecode[offset], other))
    return found


def mutated(function, random):
    """`function` with one instruction exchanged, and what was done; None if it has none to exchange."""
    code = function.__code__
    found = places(code)
    if not found:
        return None
    offset, other, operand = random.choice(found)
    bytecode = bytearray(code.co_code)
    said = f"{opcode.opname[bytecode[offset]]} {bytecode[offset + 1]} at {offset} is {opcode.opname[other]} {operand}"
    bytecode[offset : offset + 2] = bytes([other, operand])
    made = types.FunctionType(
        code.replace(co_code=bytes(bytecode)),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    return made, said
