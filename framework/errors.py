"""Errors of Windlass.  Every message says what was given, what is allowed, and the unit."""

from __future__ import annotations


class WindlassError(Exception):
    """Base of all errors that Windlass raises on purpose."""


class ModelError(WindlassError):
    """A model that cannot be computed: wrong value, wrong kind of entity, missing part."""


class ModelWarning(UserWarning):
    """Something in a model that is probably a mistake, though the results do not depend on it."""


class OptionError(WindlassError):
    """A command-line option that is unknown, misspelt, or has a wrong value."""


class OutputError(WindlassError):
    """An output folder or file that cannot be written or read."""
