# G29: functions that come from no file.
from snekpy import stage

SOURCE = """
def power(b, n):
    result = 1
    while n > 0:
        result *= b
        n -= 1
    if result > 100:
        raise OverflowError("too big")
    return result
"""
space = {}
exec(compile(SOURCE, "<nowhere>", "exec"), space)
power = stage(space["power"])
print(power(2, 5), power(0.5, 2), power(3, 0))
try:
    power(3, 5)
except OverflowError as error:
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    print(error, trace.tb_frame.f_code.co_filename, trace.tb_lineno)

pick = stage(eval("lambda x, y: x if x > y else -y"))
print(pick(1, 2), pick(2, 1), pick(0.5, 0))

from_decorator = {"stage": stage}
exec("@stage\ndef f(x):\n    return x + STEP if x else STEP\nSTEP = 2", from_decorator)
print(from_decorator["f"](1), from_decorator["f"](0), from_decorator["f"](0.5))
from_decorator["STEP"] = 0.25
print(from_decorator["f"](1), from_decorator["f"](0), from_decorator["f"](0.5))
