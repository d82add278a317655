"""Exceptions and warnings, with NumPy's names and bases."""


class AxisError(ValueError, IndexError):
    """An axis that does not exist."""


class ComplexWarning(RuntimeWarning):
    """Never given: there are no complex numbers."""


class RankWarning(RuntimeWarning):
    """A fit that is badly conditioned."""
