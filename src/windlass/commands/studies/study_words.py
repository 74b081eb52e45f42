"""The command line of a study of many runs: model, options that vary, options of all runs, options of the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from windlass.commands.studies.cases import is_varied
from windlass.commands.studies.model_options import Case, find_files, take_own
from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import Option, join_options, split_arguments, split_options

RESERVED = ("summary", "statistics", "progress", "help", "h")
"""Options that a study gives to its runs."""


class StudyWords(NamedTuple):
    """A command line, taken apart.

    Attributes:
        model: file of the script.
        own: values of the options of the command.
        varied: texts of the options of the model that describe several values.
        constant: names of the options that all runs have.
        common: words of the command line that all runs have.
    """

    model: Path
    own: dict[str, Any]
    varied: Case
    constant: tuple[str, ...]
    common: list[str]


def read_words(
    words: Sequence[str],
    own: Mapping[str, Option],
    command: str,
    what: str,
    runs: str,
    folder: str,
    varies: Callable[[str | None], bool] = is_varied,
) -> StudyWords:
    """Take the words of ``windlass`` after the name of the command apart.

    Args:
        words: the model first, then options of model and command mixed.
        own: options of the command.
        command: as users write it, for messages.
        what, runs: the study and its runs in messages, as "sweep" and "cases".
        folder: a name for the folder of the study, as an example.
        varies: whether the text of an option describes several values.

    Raises:
        OptionError: no model, no ``-output``, or options that the study gives to its runs.
    """
    words, behind = split_arguments(words)
    model, pairs, values = take_own(words, own, command)
    if not values["output"]:
        raise OptionError(f"-output is not given: expected the folder of the {what}, such as -output {folder}")
    varied = {name: str(text) for name, text in pairs if varies(text)}
    constant = [(name, text) for name, text in pairs if name not in varied]
    constant += split_options(values["fixed"].split())
    for name in (name for name in [*varied, *dict(constant)] if name.lower() in RESERVED):
        raise OptionError(f"-{name}: a {what} gives it to its {runs}; must be left out")
    common = [*join_options(find_files(constant)), *(["--", *behind] if behind else [])]
    return StudyWords(model, values, varied, tuple(dict(constant)), common)
