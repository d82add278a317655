# `with` of an object that is no context manager.
#@ reference snekpy: CPython 3.11 has other words for it
from support import show


class Shown:
    def __repr__(self):
        return type(self).__name__


class Enters(Shown):
    def __enter__(self):
        return 1


class Exits(Shown):
    def __exit__(self, *details):
        return None


class Waits(Shown):
    async def __aenter__(self):
        return 1

    async def __aexit__(self, *details):
        return None


def manage(x, manager):
    with manager as entered:
        return x, entered


def number(x):
    with x:
        return x


def caught(x):
    try:
        with None:
            return x
    except TypeError as error:
        return str(error), x


show(manage, (1, None), (2, Enters()), (3, Exits()), (4, Waits()), (5, "text"))
show(number, 1, 2.5, True)
show(caught, 1)
