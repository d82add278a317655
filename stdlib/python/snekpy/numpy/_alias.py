"""`import numpy` where no other numpy is found: these modules under NumPy's names."""

import importlib
import sys
from importlib.machinery import ModuleSpec


class _Loader:
    """Gives the module that is there already."""

    def create_module(self, spec):
        self.module = importlib.import_module("snekpy." + spec.name)
        self.own = self.module.__spec__
        return self.module

    def exec_module(self, module):
        module.__spec__ = self.own


def spec(name):
    """How the module of this name is made, if there is one."""
    try:
        module = importlib.import_module("snekpy." + name)
    except ModuleNotFoundError:
        return None
    return ModuleSpec(name, _Loader(), is_package=hasattr(module, "__path__"))
