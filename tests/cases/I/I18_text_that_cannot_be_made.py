# I18: text that cannot be made is an error where it is made, not later.
from support import show
from snekpy import stage


def formatted(x):
    text = f"{x:c}"
    print("  after", text)
    return text


def percent(x):
    text = "%c" % x
    print("  after", text)
    return text


def caught(x):
    try:
        text = f"{x:c}"
    except OverflowError:
        text = "none"
    return text


show(caught, 65, -1, 97)
for function in (formatted, percent):
    staged = stage(function)
    for x in (65, -1, 97):
        try:
            print(staged(x))
        except OverflowError as error:
            print("OverflowError at line", error.__traceback__.tb_next.tb_lineno)
