"""Figures of matplotlib for notebooks and files. No screen is needed."""

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
    """Return an empty figure. If the figure is the last value of a notebook cell, the notebook shows the figure. The
    figure does not use pyplot.

    Args:
        width, height: size of the figure [inch].
        **more: other arguments of matplotlib's Figure.
    """
    from matplotlib.figure import Figure  # imported here, because only pictures need matplotlib

    figure: Any = Figure(figsize=(width, height), facecolor="white", **more)
    # IPython calls this method to show the figure, unless pyplot has registered another function
    figure._repr_png_ = partial(_draw_png, figure)
    return figure


def _draw_png(figure: Any) -> bytes:
    content = BytesIO()
    figure.savefig(content, format="png", bbox_inches="tight")
    return content.getvalue()


def check_picture(path: str | os.PathLike[str] | None) -> Path | None:
    """Return the absolute path of a picture, and create its folder if needed. Call this function before the picture is
    drawn.

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
    """Write the figure to a path that `check_picture` has returned, and return the path. Without a path, return the
    figure.

    Raises:
        OutputError: the file cannot be written.
    """
    if target is None:
        return figure
    content, kind = BytesIO(), target.suffix[1:]
    # level 1 of compression is faster than the default level by a third, and files are larger by less than a fifth
    more = {"pil_kwargs": {"compress_level": 1}} if kind == "png" else {}
    figure.savefig(content, format=kind, dpi=dpi, **more)
    write_output(target, mark_picture(content.getvalue()), "picture", "picture")
    return target
