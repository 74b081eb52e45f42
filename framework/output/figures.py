"""Figures of matplotlib that need no screen: for notebooks and files."""

from __future__ import annotations

import os
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from windlass.framework.errors import OutputError
from windlass.framework.files.outputs import check_output, mark_picture, write_output
from windlass.framework.output.folder import create_output_folder


def create_figure(width: float, height: float, **more: Any) -> Any:
    """An empty figure that a notebook shows as the last value of a cell, with or without pyplot.

    Args:
        width, height: [inch].
        **more: other arguments of matplotlib's Figure.
    """
    from matplotlib.figure import Figure  # imported here, because only pictures need it

    figure: Any = Figure(figsize=(width, height), facecolor="white", **more)
    # IPython calls this method; pyplot's formatter of figures has priority
    figure._repr_png_ = partial(_draw_png, figure)
    return figure


def _draw_png(figure: Any) -> bytes:
    content = BytesIO()
    figure.savefig(content, format="png", bbox_inches="tight")
    return content.getvalue()


def check_picture(path: str | os.PathLike[str] | None) -> Path | None:
    """The absolute path of a picture, checked before drawing; its folder is made if needed.

    Raises:
        OutputError: the suffix is not ``.png``, ``.pdf`` or ``.svg``, or Windlass may not write the file.
    """
    if path is None:
        return None
    target = Path(path).absolute()
    if target.suffix not in (".png", ".pdf", ".svg"):
        raise OutputError(f"picture '{target}' cannot be written: must be .png, .pdf or .svg")
    create_output_folder(target.parent)
    return check_output(target, "picture", "picture")


def hand_over(figure: Any, target: Path | None, dpi: float = 140.0) -> Any:
    """The figure itself, or the path from `check_picture` after the figure was written to it.

    Raises:
        OutputError: the file cannot be written.
    """
    if target is None:
        return figure
    content = BytesIO()
    figure.savefig(content, format=target.suffix[1:], dpi=dpi)
    write_output(target, mark_picture(content.getvalue()), "picture", "picture")
    return target
