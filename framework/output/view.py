"""Views of a state, or of the frames of a file, as a scene of PyVista in a notebook or in a window."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from windlass.framework.checks.checks import checked, either, instance, path, whole, word
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.launch.notebook import find_shell
from windlass.framework.output.player import Player, Series, check_file, load_pyvista
from windlass.framework.output.recorder import Recorder
from windlass.framework.state.state import State

SIZE = (960, 540)
"""Width and height [pixels] of the scene."""


@checked(what=either(instance(State), path()), field=word(), frame=whole())
def show(what: State | str | os.PathLike[str], field: str = "", frame: int = -1) -> Any:
    """Show a model in 3D by PyVista. A notebook shows the scene below the cell. Outside notebooks, a window opens, as
    with the command `windlass show`.

    The call is collective. Only the first process shows the model.

    Args:
        what: a state, or a file that a `Recorder` wrote (``.vtkhdf``, ``.pvd``).
        field: field that colours the lines. The default is the axial force, or the first existing field.
        frame: number of the frame of a file, from 0. Negative numbers count from the end.

    Returns:
        In a notebook: the scene. The notebook shows the scene if the scene is the last value of a cell. The scene is
        interactive if trame and ipywidgets are installed (``windlass[notebook]``), otherwise a picture. PyVista's
        environment variable ``PYVISTA_JUPYTER_BACKEND`` overrides this choice. Outside notebooks: None, after the
        window was closed.

    Raises:
        OptionError: PyVista is not installed, no screen is available, or the field or frame does not exist.
        OutputError: the file does not exist, or has no frames.
    """
    with TemporaryDirectory() as folder:
        if isinstance(what, State):
            with Recorder("state", folder=folder) as recorder:
                recorder.record(what)
            file = Path(folder) / "state.vtkhdf"
        else:
            file = check_file(Path(what))
        if not is_first_process():
            return None
        in_notebook = find_shell() is not None
        pyvista = load_pyvista(off_screen=in_notebook)
        series = Series(pyvista, file)
        player = Player(pyvista, series, field, SIZE, off_screen=in_notebook)
        if not in_notebook:
            player.run(frame)
            return None
        player.show_frame(series.number(frame))
        with warnings.catch_warnings():
            # suppress the warning that the notebook shows a picture because trame is missing
            warnings.filterwarnings("ignore", "(?s).*static (output|image)")
            return player.plotter.show(return_viewer=True)
