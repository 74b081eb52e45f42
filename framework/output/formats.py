"""The file formats of a `Recorder`, by name.

A format is a subclass of `FieldSeries`, or of `FrameFiles` if each frame is a separate file. Each subclass is in its
own module. Formats of Windlass are registered in this module. A format of a user is registered at the end of the user's
module.
"""

from __future__ import annotations

from windlass.framework.errors import OutputError
from windlass.framework.files.outputs import MARK, note_series_mark
from windlass.framework.output.series import FieldSeries
from windlass.framework.output.vtkhdf import VtkhdfSeries
from windlass.framework.output.vtu import VtuSeries
from windlass.framework.output.xdmf import XdmfSeries

_formats: dict[str, type[FieldSeries]] = {}


def register_format(name: str, kind: type[FieldSeries]) -> None:
    """Register a format that a `Recorder` can write.

    Args:
        name: name of the format in ``Recorder(formats=...)``.
        kind: a subclass of `FieldSeries` that defines ``suffixes`` and ``marks`` of its files.

    Raises:
        OutputError: another class is registered with this name, ``kind`` is not a subclass of `FieldSeries`, or a mark
            lacks the words ``written by Windlass``.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise OutputError(f"name of a format = {name!r:.60}: must be letters, digits and _")
    if not (isinstance(kind, type) and issubclass(kind, FieldSeries) and hasattr(kind, "suffixes")):
        raise OutputError(f"class of the format {name}: must be a subclass of FieldSeries with suffixes")
    known = _formats.get(name)
    # a module that is executed again registers its class again
    if known is not None and (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
        raise OutputError(f"format {name}: is already registered: must have another name")
    for mark in kind.marks:
        if MARK not in mark:
            raise OutputError(f"mark {mark!r} of the format {name}: must contain the words '{MARK.decode()}'")
        note_series_mark(mark)
    _formats[name] = kind


def find_formats() -> dict[str, type[FieldSeries]]:
    """Return all formats by name."""
    return dict(_formats)


register_format("vtkhdf", VtkhdfSeries)
register_format("vtu", VtuSeries)
register_format("xdmf", XdmfSeries)
