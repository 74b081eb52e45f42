"""Execution of the cases of a study in parallel. Each case runs in a separate folder, and writes a file at its end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from windlass.commands.studies import child_runs
from windlass.commands.studies.sweep_table import OUTCOME, STATISTICS, SUMMARY
from windlass.framework.files.whole_files import remove_drafts, replace_file


@contextmanager
def threads(jobs: int) -> Iterator[Executor]:
    """Return a context manager with threads that execute cases. If the study is interrupted, running cases are
    ended.
    """
    child_runs.begin()
    with ThreadPoolExecutor(jobs) as executor:
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            child_runs.stop_all()
            raise


def run_case(folder: Path, words: Sequence[str], limit: float | None) -> str:
    """Run a case for at most the given time [s], and write its status to its folder. Return the reason of a failure, or
    an empty string.
    """
    folder.mkdir(parents=True, exist_ok=True)
    remove_drafts(folder, OUTCOME)
    for name in (OUTCOME, SUMMARY, STATISTICS):
        (folder / name).unlink(missing_ok=True)
    own = ["-summary", SUMMARY, "-statistics", STATISTICS, "-progress", "false"]
    model, *options = words
    ended = child_runs.run_child([model, *own, *options], folder, limit=limit)
    if child_runs.is_ending():
        return ended.reason
    outcome = {"reason": ended.reason, "wall_time": ended.wall_time, "words": list(words)}
    replace_file(folder / OUTCOME, f"{json.dumps(outcome, indent=1)}\n".encode(), sync=True)
    return ended.reason
