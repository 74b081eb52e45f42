"""The plan of a study, and the procedure that all commands for studies use."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from windlass.commands.studies.kept_runs import KeptRuns
from windlass.commands.studies.model_options import show_help
from windlass.commands.studies.run_cases import threads
from windlass.framework.launch.arguments import Option


@dataclass(frozen=True)
class StudyPlan:
    """The plan of a study. This class is the base class of the plans of commands.

    Attributes:
        model: file of the model script.
        common: arguments of the command line that are equal in all runs.
        own: values of the options of the command, including ``output``, ``limit`` and ``jobs``.
        words: arguments of the command line after the command.
    """

    model: Path
    common: tuple[str, ...]
    own: dict[str, Any]
    words: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def folder(self) -> Path:
        """Folder of the study."""
        return Path(self.own["output"]).absolute()

    def describe_common(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the settings that must not have changed when a study is resumed. These are the settings that all
        studies have, and the options of the command with the given names.
        """
        return {
            "model": self.model.name,
            "model_sha256": hashlib.sha256(self.model.read_bytes()).hexdigest(),
            "common": list(self.common),
            **{name: self.own[name] for name in names},
        }

    def open_runs(self, executor: Executor) -> KeptRuns:
        """Return the runs of the study. Results of earlier runs are read from the folder of the study."""
        return KeptRuns(self.folder, [str(self.model), *self.common], self.own["limit"], executor)

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Context manager. If the user stops the study, a note is added to the KeyboardInterrupt. The note states that
        a repetition of the command resumes the study.
        """
        try:
            yield
        except KeyboardInterrupt as stopped:
            stopped.add_note(f"the same command continues with the runs in '{self.folder}'")
            raise


AnyPlan = TypeVar("AnyPlan", bound=StudyPlan)


def carry_out(
    words: Sequence[str],
    text: str,
    own: Mapping[str, Option],
    make_plan: Callable[[Sequence[str]], AnyPlan],
    conduct: Callable[[AnyPlan, Executor], int],
) -> int:
    """Print the help of a command, or plan and execute its study. Return the exit code.

    Args:
        words: arguments of the command line after the command.
        text: description of the command.
        own: options of the command.
        make_plan: function that creates the plan from a command line, or raises OptionError.
        conduct: function that executes all runs, writes the files and returns the exit code.
    """
    if show_help(words, text, own):
        return 0
    plan = replace(make_plan(words), words=tuple(words))
    with threads(plan.own["jobs"]) as executor:
        return conduct(plan, executor)
