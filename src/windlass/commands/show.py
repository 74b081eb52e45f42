"""The command `windlass show` shows results in a window, or writes a picture or a film, with PyVista.

windlass show FILE [-field NAME] [-frame N] [-picture FILE.png] [-movie FILE.mp4] [-fps 25] [-size 1280,720]

FILE is a file of a Recorder (.vtkhdf or .pvd). Controls of the window: the mouse rotates, moves and zooms; space plays
and stops; the left and right arrows change the frame; the up and down arrows change the field; the slider selects the
time; q closes the window. Frame numbers count from 0. Negative frame numbers count from the end (-1, the default of
pictures, is the last frame). Pictures and films can be created on computers without a screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from windlass.framework.errors import OptionError, OutputError
from windlass.framework.files.outputs import check_output
from windlass.framework.launch.arguments import HELP_WORDS, Option, option_table, refuse_twice, split_options

OPTIONS = option_table(
    Option("field", "", "", "field that colours the lines; default: the first one"),
    Option("frame", -1, "1", "number of the frame, from 0, or from the end"),
    Option("picture", "", "", "write this picture, .png"),
    Option("movie", "", "", "write this film, .mp4 or .gif"),
    Option("fps", 25, "1/s", "frames of the film in a second", minimum=1, maximum=240),
    Option("size", "1280,720", "", "width and height of picture or film in pixels"),
)
SUFFIXES = {"picture": (".png",), "movie": (".mp4", ".gif")}


def main(words: Sequence[str]) -> int:
    """Show the results in a file, or write a picture or a film of the results. Return the exit code.

    Raises:
        OptionError: the command line is wrong, or PyVista or its requirements are missing.
        OutputError: a file does not exist or cannot be written.
    """
    if not words or words[0] in HELP_WORDS:
        print((__doc__ or "").strip())
        return 0
    from windlass.framework.output.player import (  # imported here, because the module imports NumPy
        Player,
        Series,
        check_file,
        load_pyvista,
    )

    file, given = check_file(Path(words[0])), read_options(words[1:])
    size = read_size(str(given["size"]))
    targets = {what: check_picture(str(given[what]), what) for what in SUFFIXES if given[what]}
    series = Series(pyvista := load_pyvista(bool(targets)), file)
    player = Player(pyvista, series, str(given["field"]), size, off_screen=bool(targets))
    if not targets:
        player.run(int(given["frame"]))
    if "picture" in targets:
        player.write_picture(targets["picture"], int(given["frame"]))
    if "movie" in targets:
        player.write_movie(targets["movie"], int(given["fps"]))
    return 0


def check_picture(text: str, what: str) -> Path:
    """Return the path of a picture or film. Raise OutputError if the path cannot be written."""
    path = Path(text).absolute()
    if path.suffix not in SUFFIXES[what] or not path.parent.is_dir():
        raise OutputError(f"-{what} {text}: must be a {' or '.join(SUFFIXES[what])} file in a folder that exists")
    return check_output(path, f"-{what}", "picture")


def read_options(words: Sequence[str]) -> dict[str, Any]:
    """Return the values of all options. Raise OptionError for unknown or wrong options."""
    values: dict[str, Any] = {name: item.default for name, item in OPTIONS.items()}
    for name, text in refuse_twice(split_options(words, OPTIONS)):
        if name not in OPTIONS:
            raise OptionError(f"-{name}: unknown option of windlass show; must be one of -{', -'.join(OPTIONS)}")
        values[name] = OPTIONS[name].parse(text or "")
    return values


def read_size(text: str) -> tuple[int, int]:
    """Return the width and the height [pixels], rounded down to even numbers. Films need even numbers. Raise
    OptionError if the text does not consist of two numbers from 64 to 8192.
    """
    parts = text.split(",")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and 64 <= int(part) <= 8192 for part in parts):
        raise OptionError(f"-size {text}: must be width,height, each from 64 to 8192 pixels")
    width, height = (int(part) - int(part) % 2 for part in parts)
    return width, height
