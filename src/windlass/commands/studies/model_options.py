"""The options of a model, obtained from a run of the model without solves (``-help json``)."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windlass.commands.studies.child_runs import OUTPUT, run_child
from windlass.framework.command_line.petsc_values import check_ranges
from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import HELP_WORDS, Option, join_options, split_arguments, split_options

Pairs = list[tuple[str, str | None]]
Case = dict[str, str]
"""Values of options by name, as texts of the command line."""
QUOTED = ("try", "fixed")
"""Options of commands that have a quoted list of options as value."""


@dataclass(frozen=True)
class ModelOptions:
    """The options of a model.

    Attributes:
        items: dictionary from names to options of the model, of its solvers and of Windlass. Options of PETSc are not
            included.
        prefixes: option prefixes of the solvers of the model.
    """

    items: Mapping[str, Option]
    prefixes: tuple[str, ...]

    def find_parameters(self, given: Collection[str]) -> dict[str, Option]:
        """Return a dictionary from names to the parameters of the model (`wl.parameter`), without the parameters in
        ``given``.
        """
        return {name: item for name, item in self.items.items() if item.scale and name not in given}

    def check(self, case: Case) -> None:
        """Check the option values of a case.

        Raises:
            OptionError: an option does not allow its value.
        """
        for name, text in case.items():
            if name in self.items:
                self.items[name].parse(text)
        check_ranges(case, self.prefixes)


def ask_model(model: Path, case: Case, rest: Sequence[str]) -> ModelOptions:
    """Return the options of a model. The script of the model is run with the option values of a case, but without
    solves.

    Raises:
        OptionError: an option is unknown, a value is wrong, or the model fails before its first solver.
    """
    pairs = join_options([*case.items(), ("help", "json")])
    options, words = split_arguments(rest)
    command = [str(model), *options, *pairs, *(["--", *words] if words else [])]
    with tempfile.TemporaryDirectory() as folder:
        ended = run_child(command, Path(folder))
        if ended.reason:
            raise OptionError(f"{model.name}: {ended.reason}")
        lines = (Path(folder) / OUTPUT).read_text().splitlines()
    try:
        found = json.loads(lines[-1])
        items = [Option(**item) for item in found["options"]]
    except (IndexError, ValueError, TypeError, KeyError):
        raise OptionError(f"{model.name}: must be a model of Windlass, which lists its options with -help") from None
    if found["unknown"]:
        raise OptionError("\n".join(found["unknown"]))
    return ModelOptions({item.name: item for item in items}, tuple(found["prefixes"]))


def take_own(words: Sequence[str], own: Mapping[str, Option], command: str) -> tuple[Path, Pairs, dict[str, Any]]:
    """Split the arguments of a command line into the model, the options of the model, and the values of the options of
    the command.

    Args:
        words: arguments of the command line: the model, then options of the model and of the command in any order.
        own: options of the command. If an option of the model and an option of the command have equal names, the option
            of the command is used.
        command: the command as users write it, for messages.

    Raises:
        OptionError: the model is missing, an argument does not belong to an option, or an option is given twice.
    """
    script = words[0] if words else ""
    if not script or script.startswith("-"):
        raise OptionError(f"{command} MODEL.py [options]: the first word must be the model")
    if not os.path.isfile(script):
        raise OptionError(f"{command} {script:.200}: no such file")
    rest, quoted = list(words[1:]), Pairs()
    for name in QUOTED:
        while name in own and f"-{name}" in rest[:-1]:
            place = rest.index(f"-{name}")
            quoted.append((name, rest[place + 1]))
            del rest[place : place + 2]
    pairs = quoted + split_options(rest)
    twice = [name for k, (name, _) in enumerate(pairs) if name in [other for other, _ in pairs[:k]]]
    if twice:
        raise OptionError(f"-{twice[0]}: is given twice; several values are written 1,2,3")
    given = {name: value or "" for name, value in pairs if name in own}
    values = {name: item.parse(given[name]) if name in given else item.default for name, item in own.items()}
    return Path(script).resolve(), [(name, value) for name, value in pairs if name not in own], values


def show_help(words: Sequence[str], text: str, own: Mapping[str, Option]) -> bool:
    """If help is requested, print the description and the options of a command. Return whether help was requested."""
    asked = not words or bool(set(words) & set(HELP_WORDS))
    if asked:
        print("\n".join([text, *(item.describe() for item in own.values())]))
    return asked


def write_options(case: Case) -> list[str]:
    """Return the option values of a case as arguments of a command line."""
    return join_options([(name, text or None) for name, text in case.items()])


def find_files(pairs: Pairs) -> Pairs:
    """Convert option values that are paths of existing files to absolute paths, because each run is executed in a
    separate folder.
    """
    found: Pairs = []
    for name, value in pairs:
        is_file = bool(value) and os.path.isfile(str(value))
        found.append((name, str(Path(str(value)).resolve()) if is_file else value))
    return found
