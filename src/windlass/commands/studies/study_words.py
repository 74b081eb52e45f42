"""The command line of a study of many runs. A command line contains the model, options that vary, options that are
equal in all runs, and options of the command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from windlass.commands.studies.cases import is_varied
from windlass.commands.studies.model_options import Case, find_files, take_own
from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import Option, join_options, split_arguments, split_options

RESERVED = ("summary", "statistics", "progress", "help", "h")
"""Options that the study sets for each run. The user cannot give these options."""


class StudyWords(NamedTuple):
    """The parts of the command line of a study.

    Attributes:
        model: file of the model script.
        own: values of the options of the command.
        varied: texts of the values of each option with several values, by name of the option.
        constant: names of the options with equal values in all runs.
        common: arguments of the command line that are equal in all runs.
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
    """Split the command line of a study into its parts.

    Args:
        words: arguments after the name of the command: the model, then options of the model and of the command in any
            order.
        own: options of the command.
        command: the command in messages, such as "windlass sweep".
        what, runs: words for the study and for its runs in messages, such as "sweep" and "cases".
        folder: name of a folder as an example in messages.
        varies: function that returns whether the text of an option specifies several values.

    Raises:
        OptionError: the model or ``-output`` is missing, or an option in `RESERVED` is given.
    """
    words, behind = split_arguments(words)
    model, pairs, values = take_own(words, own, command)
    if not values["output"]:
        raise OptionError(f"-output is not given: expected the folder of the {what}, such as -output {folder}")
    varied = {name: str(text) for name, text in pairs if varies(text)}
    constant = [(name, text) for name, text in pairs if name not in varied]
    constant += split_options(values["fixed"].split())
    for name in (name for name in [*varied, *dict(constant)] if name.lower() in RESERVED):
        raise OptionError(f"-{name}: the {what} sets this option for each of its {runs}; must be omitted")
    common = [*join_options(find_files(constant)), *(["--", *behind] if behind else [])]
    return StudyWords(model, values, varied, tuple(dict(constant)), common)
