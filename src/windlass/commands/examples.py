"""The command `windlass examples` lists the examples of the package, and copies one example into the current folder."""

from __future__ import annotations

import ast
import difflib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import HELP_WORDS

HELP = """windlass examples                 list the examples, one line each
windlass examples NAME [FILE.py]  copy one, by default to NAME.py in the current folder

An example is a complete model; run it by `windlass run NAME.py`.  A file that exists is not written over."""


def find_folder() -> Path:
    """Return the folder of the examples. This folder is in the installed package or, in a checkout, in the repository.

    Raises:
        OptionError: the installation has no examples.
    """
    for place in sys.modules["windlass"].__path__:
        folder = Path(place) / "examples"
        if folder.is_dir():
            return folder
    raise OptionError("windlass examples: this installation has no examples")


def find_title(path: Path) -> str:
    """Return the first line of the docstring of an example."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def main(words: Sequence[str]) -> int:
    """List the examples or copy one. Return the exit code.

    Raises:
        OptionError: the example is unknown, the file already exists, or the number of arguments is too large.
    """
    print(HELP if len(words) == 1 and words[0] in HELP_WORDS else run_examples(words))
    return 0


def run_examples(words: Sequence[str]) -> str:
    """List the examples, or copy one. Return the text to print.

    Raises:
        OptionError: the example is unknown, the file already exists, or the number of arguments is too large.
    """
    found = {path.stem: path for path in sorted(find_folder().glob("*.py")) if path.stem != "__init__"}
    if not words:
        width = max(map(len, found))
        return "\n".join(f"{name:{width}}  {find_title(path)}" for name, path in found.items())
    name = words[0].removesuffix(".py")
    if len(words) > 2:
        raise OptionError(f"windlass examples {' '.join(words)}: must be windlass examples [NAME [FILE.py]]")
    if name not in found:
        near = difflib.get_close_matches(name, found, 1)
        hint = f"did you mean {near[0]}?" if near else f"must be one of {', '.join(found)}"
        raise OptionError(f"windlass examples {words[0]}: no such example; {hint}")
    target = Path(words[1] if len(words) == 2 else f"{name}.py")
    if target.exists():
        raise OptionError(f"windlass examples {name}: {target} exists; must be the name of a new file")
    try:
        shutil.copyfile(found[name], target)
    except OSError as error:
        raise OptionError(f"windlass examples {name}: {target} cannot be written: {error.strerror}") from error
    return f"{target} is written; run it by: windlass run {target}"
