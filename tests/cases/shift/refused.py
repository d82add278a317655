# Where `shift` cannot be, it says so, at the call.
#@ reference snekpy: CPython has no delimited continuations
from snekpy import ContinuationError, reset, shift


def again(k):
    return k(1)


def in_a_key():
    return sorted([2, 1], key=lambda x: shift(again))


def in_a_map():
    return list(map(lambda x: shift(again), [1]))


def as_a_function():
    return list(map(shift, [again]))


def in_a_class():
    class C:
        x = shift(again)

    return C


def generator():
    yield shift(again)


def in_a_generator():
    return list(generator())


def in_a_generator_expression():
    return [x for x in (shift(again) for _ in range(2))]


class Text:
    def __str__(self):
        return shift(again)


def in_text():
    return f"{Text()}"


def over_a_generator():
    for x in (i for i in range(3)):
        shift(again)
    return "not reached"


def over_a_dict():
    for x in {1: 2}:
        shift(again)
    return "not reached"


def over_zip():
    for x in zip([1], (i for i in range(3))):
        shift(again)
    return "not reached"


def held_generator():
    held = (i for i in range(4))
    total = 0
    for x in held:
        total += x * shift(again)
    return total


def caught():
    try:
        over_a_generator()
    except ContinuationError as error:
        return "caught", isinstance(error, RuntimeError)


def in_exec():
    exec("shift(again)", globals())


def nothing():
    return shift()


def too_much():
    return shift(again, again)


def not_callable():
    return 1 + shift(5)


def where(error):
    trace = error.__traceback__
    lines = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == __file__:
            lines.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
        trace = trace.tb_next
    return lines[-1]


for function in (
    in_a_key,
    in_a_map,
    as_a_function,
    in_a_class,
    in_a_generator,
    in_a_generator_expression,
    in_text,
    over_a_generator,
    over_a_dict,
    over_zip,
    held_generator,
    caught,
    in_exec,
    nothing,
    too_much,
    not_callable,
):
    try:
        print(function.__name__, "=", reset(function))
    except Exception as error:
        print(function.__name__, "raises", type(error).__name__, where(error))
        if isinstance(error, ContinuationError):
            print("   ", error)

try:
    shift(again)
except ContinuationError as error:
    print(error)
try:
    reset(5)
except TypeError as error:
    print(error)
kept = []
reset(lambda: shift(kept.append))
for args in ((), (1, 2)):
    try:
        kept[0](*args)
    except TypeError as error:
        print(error)
