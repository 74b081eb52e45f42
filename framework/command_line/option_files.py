"""Files with options. Windlass reads these files itself and does not pass them to PETSc. The error message for a wrong
option therefore states the file and the line number.

A line contains one option, ``-name value`` or ``-name``. Text after ``#`` or ``!`` is a comment. ``-options_file FILE``
inserts another file. PETSc's `.petscrc` files have this format, but Windlass reads such a file only if `-options_file`
names the file. Therefore, a `.petscrc` file that the user does not know of cannot change results.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import join_options, split_options
from windlass.framework.launch.launcher import start_petsc

Pairs = list[tuple[str, str | None]]
PETSC_FILES = ("~/.petscrc", ".petscrc", "petscrc")
YAML_SUFFIXES = (":yaml", ".yml", ".yaml")


def insert_files(pairs: Pairs, within: Sequence[Path] = ()) -> Pairs:
    """Return the options of a command line after each ``-options_file FILE`` has been replaced by the options of the
    file.

    YAML files are not replaced, because PETSc reads these files.

    Raises:
        OptionError: a file cannot be read or includes itself, or a line contains several options or words that are not
            an option.
    """
    found: Pairs = []
    for name, value in pairs:
        if name.lower() != "options_file":
            found.append((name, value))
            continue
        path = Path(value.removesuffix(":yaml") if value else "")
        if not (value and os.path.isfile(path)):
            raise OptionError(f"-options_file {value or ''}: expected a readable file with options")
        if value.endswith(YAML_SUFFIXES):
            found.append((name, value))
        elif path.resolve() in within:
            raise OptionError(f"-options_file {value}: the file includes itself")
        else:
            found += insert_files(read_options(path), (*within, path.resolve()))
    return found


def read_options(path: Path) -> Pairs:
    """Return the options in a file.

    Raises:
        OptionError: the file is not a text file, or a line contains several options or words that are not an option.
            The message states the number of the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"options file {path}: cannot be read as text ({error})") from None
    found: Pairs = []
    for number, line in enumerate(lines, 1):
        words = re.split(r"[#!]", line, maxsplit=1)[0].split()
        try:
            pairs = split_options(words)
        except OptionError as error:
            raise OptionError(f"options file {path}, line {number}: {error}") from None
        if len(pairs) > 1:
            raise OptionError(f"options file {path}, line {number}: {line.strip()}: expected one option per line")
        found += pairs
    return found


def petsc_files() -> list[str]:
    """Return the option files that PETSc would read by default. Windlass ignores these files."""
    return [name for name in PETSC_FILES if Path(name).expanduser().is_file()]


def environment_options() -> Pairs:
    """Return the options of the environment variable PETSC_OPTIONS.

    Raises:
        OptionError: a word is not an option or the value of an option.
    """
    try:
        return split_options(os.environ.get("PETSC_OPTIONS", "").split())
    except OptionError as error:
        raise OptionError(f"environment variable PETSC_OPTIONS: {error}") from None


def start_with(pairs: Pairs) -> None:
    """Initialise PETSc with only the given options. PETSc reads neither its own option files nor the environment
    variable PETSC_OPTIONS.
    """
    environment = os.environ.pop("PETSC_OPTIONS", None)
    given = {name.lower() for name, _ in pairs}
    try:
        start_petsc([*join_options(pairs), *([] if "skip_petscrc" in given else ["-skip_petscrc"])])
    finally:
        if environment is not None:
            os.environ["PETSC_OPTIONS"] = environment
