"""What processes tell each other, and what is called in the PETSc library past petsc4py, goes through one file each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass.framework.parallel.processes import Processes

ROOT = Path(__file__).parents[2]
FOLDERS = "framework", "elements", "connectors", "solvers"
REDUCTIONS = {"allreduce", "allgather", "alltoall", "reduce", "gather", "bcast", "scatter", "scan", "exscan"}
BUFFERED = {name.capitalize() + end for name in REDUCTIONS for end in ("", "v")}


def calls() -> Iterator[tuple[str, str, str]]:
    """File, object and function of all calls of functions of objects."""
    for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield path.relative_to(ROOT).as_posix(), ast.unparse(node.func.value), node.func.attr


def test_reductions_go_through_processes() -> None:
    found = {
        (path, f"{receiver}.{name}")
        for path, receiver, name in calls()
        if name in BUFFERED or (name in REDUCTIONS and receiver.lower().endswith(("comm", "comm_world", "tompi4py()")))
    }
    outside = [call for call in found if not call[0].startswith("framework/parallel/")]
    assert ("framework/parallel/processes.py", "self.comm.allgather") in found
    assert not [call for call in outside if call[0] != "framework/launch/launcher.py"]


def test_ghosts_are_exchanged_by_ghosts() -> None:
    assert not [(path, name) for path, _, name in calls() if name in ("ghostUpdate", "localForm")]


def test_the_petsc_library_is_loaded_in_one_file() -> None:
    assert {path for path, _, name in calls() if name == "CDLL"} == {"framework/launch/petsc_functions.py"}


class Neighbours:
    """A communicator of two processes that nobody may call."""

    size, rank = 2, 0

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name}: a message of a process that works alone")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("allgather", ("masses", 1.0)),
        ("join", ("names", ["a"])),
        ("exchange", ("rows", [1, 2])),
        ("from_first", ("the clock", 1.0)),
        ("deal", ("parts", None)),
        ("gather_first", ("parts", 1)),
        ("agree", (None,)),
        ("sum", (np.ones(2),)),
        ("maximum", (np.ones(2),)),
        ("largest", ([1.0],)),
        ("largest_of", (1.0,)),
        ("any", (True,)),
        ("all", (True,)),
    ],
)
def test_a_process_that_works_alone_gets_an_error(name: str, arguments: tuple[Any, ...]) -> None:
    processes = Processes(Neighbours())
    with processes.alone("Cable2D"), pytest.raises(wl.ModelError, match="this one is at Cable2D alone"):
        getattr(processes, name)(*arguments)


def test_one_process_has_all_values() -> None:
    processes = Processes()
    assert processes.join("names", ["a"]) == ["a"] and processes.from_first("the clock", 2.0) == 2.0
    assert processes.largest([1.0, -np.inf]) == [1.0, -np.inf] and processes.largest_of(np.nan) == np.inf
    assert processes.any(True) and not processes.any(False) and processes.all(True) and not processes.all(False)
