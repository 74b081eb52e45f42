"""Runs of a study that selects the next option values from earlier results. Each run stores its option values and its
outcome in a separate folder.

If the command is repeated, the study repeats its steps, but reads the stored results of earlier runs instead of
executing these runs again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path

from windlass.commands.studies.model_options import Case, write_options
from windlass.commands.studies.run_cases import run_case
from windlass.commands.studies.sweep_table import CASES, OUTCOME, Row, case_folder, create_row, read_json, to_value
from windlass.framework.files.whole_files import replace_file

VALUES = "case.json"


class KeptRuns:
    """The runs of a study. Results of earlier runs are read from the folder of the study. Other runs are executed.

    Args:
        folder: folder of the study.
        words: arguments of the command line of all runs: the model, and the options that do not vary.
        limit: time [s] after which a run is stopped; 0 means no limit.
        executor: object that executes several runs in parallel.

    Attributes:
        rows: rows of the table, in the order in which runs were requested.
    """

    def __init__(self, folder: Path, words: Sequence[str], limit: float, executor: Executor) -> None:
        self._folder, self._words, self._limit, self._executor = folder, list(words), limit or None, executor
        self.rows: list[Row] = []
        self._known: dict[tuple[str, ...], Path] = {}
        self._count = 0
        for case in sorted((folder / CASES).iterdir()):
            values, outcome = read_json(case / VALUES), read_json(case / OUTCOME)
            self._count = max(self._count, int(case.name) if case.name.isdecimal() else 0)
            texts = list(values.values()) if isinstance(values, dict) else []
            if texts and all(isinstance(text, str) for text in texts) and isinstance(outcome, dict):
                self._known[tuple(texts)] = case

    def run(self, cases: Sequence[Case]) -> list[tuple[Row, Path]]:
        """Return the rows and folders of cases. New cases are executed in parallel."""
        waiting = []
        for case in cases:
            key = tuple(case.values())
            if key not in self._known:
                self._count += 1
                folder = case_folder(self._folder, self._count)
                folder.mkdir(parents=True, exist_ok=True)
                replace_file(folder / VALUES, f"{json.dumps(case)}\n".encode())
                words = [self._words[0], *write_options(case), *self._words[1:]]
                waiting.append(self._executor.submit(run_case, folder, words, self._limit))
                self._known[key] = folder
        for future in waiting:
            future.result()
        return [self._read(case) for case in cases]

    def _read(self, case: Case) -> tuple[Row, Path]:
        folder = self._known[tuple(case.values())]
        values = {name: to_value(text) for name, text in case.items()}
        outcome = read_json(folder / OUTCOME) or {"reason": "stopped", "wall_time": 0.0}
        row = create_row(int(folder.name), values, outcome, folder)
        self.rows.append(row)
        return row, folder
