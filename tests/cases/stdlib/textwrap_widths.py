# stdlib: `textwrap`, whose widths and numbers of things are staged.
import textwrap

from support import show

TEXT = "The quick brown fox jumps over the lazy dog, and a well-known extraordinarily-long word follows."


def wrap(width):
    return textwrap.wrap(TEXT, width)


def fill(width):
    return textwrap.fill(TEXT, width=width)


def indented(width, by):
    return textwrap.wrap(TEXT, width, initial_indent="* ", subsequent_indent=" " * by)


def some_lines(width, lines):
    return textwrap.wrap(TEXT, width=width, max_lines=lines, placeholder=" ...")


def unbroken(width):
    return textwrap.wrap("abcdefghij klm no-pqr", width, break_long_words=False, break_on_hyphens=False)


def tabs(size):
    return textwrap.wrap("a\tb\tc d", 9, tabsize=size)


def shorten(width):
    return textwrap.shorten("Hello   world,\n how are you?", width=width)


def shorten_with(width):
    return textwrap.shorten("Hello  world!", width, placeholder="..")


def dedent(n):
    return textwrap.dedent(" " * n + "x\n" + " " * (n + 2) + "y\n")


def indent(n):
    return textwrap.indent("a\n\n  b\nc", "-" * n)


def indent_some(n):
    return textwrap.indent("a\nbbb\n\ncc", "> ", lambda line: len(line) > n)


def number_in_text(x):
    return textwrap.fill(f"{x} green bottles hanging on the wall", 12)


def lines_needed(width):
    return len(textwrap.wrap(TEXT, width))


def narrowest(lines):
    width = 20
    while len(textwrap.wrap(TEXT, width)) > lines:
        width += 1
    return width


show(wrap, 20, 40, 10, 1, 0, -5, 1000)
show(fill, 30, 12, 97, 0, 20.5)
show(indented, (20, 2), (30, 0), (17, 4), (40, 8), (60, -1))
show(some_lines, (20, 2), (20, 1), (40, 10), (10, 0), (3, 1), (4, 1))
show(unbroken, 5, 3, 20, 1, -1)
show(tabs, 8, 4, 1, 0)
show(shorten, 50, 18, 12, 5, 4, 0, -1)
show(shorten_with, 13, 12, 7, 2, 1)
show(dedent, 0, 1, 4, -2)
show(indent, 0, 1, 3, -1)
show(indent_some, 0, 1, 2, 3, 10, 1.5)
show(number_in_text, 10, 1.5, 0, -99999999999999)
show(lines_needed, 20, 50, 97, 1)
show(narrowest, 1, 2, 4)
