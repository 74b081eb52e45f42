"""Tests of kernels that are compiled in advance: the list of kernels, the helper processes that compile them, and the
command `windlass compile`.
"""

from __future__ import annotations

import importlib
import json
import operator
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from windlass.commands.cli import main
from windlass.framework.kernels import listed
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.listed import Job
from windlass.framework.kernels.locks import Lock
from windlass.framework.kernels.machine_code import BY_ADDRESS, FOR_PYTHON
from windlass.framework.kernels.operators import remember_operators
from windlass.framework.kernels.process import asked
from windlass.framework.kernels.type_names import decode_type, encode_type

from support.list_kernels import CHAIN, README, RECORDED, ask

SHORT, LONG, TABLE = (
    ["array", name, ndim, "C", False, True] for name, ndim in (("int32", 1), ("int64", 1), ("int64", 2))
)
JOBS = [
    Job("windlass.framework.assembly.sparsity", "fill_entries", [TABLE, TABLE, LONG, SHORT]),
    Job("windlass.framework.assembly.sparsity", "count_entries", [TABLE, TABLE, LONG], BY_ADDRESS),
]


@pytest.fixture(autouse=True)
def own_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a list of two kernels and a separate cache folder, independent of environment variables."""
    for name in ("WINDLASS_JIT", "WINDLASS_BOUNDSCHECK", "WINDLASS_COMPILERS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("WINDLASS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(listed, "LIST", tmp_path / "list.json")
    listed.write_list([JOBS])
    return tmp_path / "list.json"


def test_a_list_is_read_as_it_was_written(own_list: Path) -> None:
    assert listed.read_list() == JOBS
    assert len(json.loads(own_list.read_text())["types"]) == 3  # the list contains each type once


@pytest.mark.parametrize("text", [None, "", '{"types": [], "kernels": [], "models": [[7]]}'])
def test_lists_that_are_missing_or_damaged(
    text: str | None,
    own_list: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """If the list is missing or damaged, the command `windlass compile` ends with an error. A run prints one note and
    compiles without the list.
    """
    own_list.unlink()
    if text is not None:
        own_list.write_text(text)
    fault = "missing" if text is None else r"damaged \(\w+\)"
    with pytest.raises(
        listed.ListError, match=f"list of kernels .*list.json is {fault}: must be a file of the package"
    ):
        listed.read_list()
    assert main(["compile"]) == 2
    assert "the list of kernels" in capsys.readouterr().err
    environment = dict(os.environ, WINDLASS_COMPILERS="2", WINDLASS_CACHE=str(tmp_path / "of a run"))
    code = f"""
from pathlib import Path
from windlass.framework.kernels import listed
listed.LIST = Path({str(own_list)!r})
import numpy as np
from windlass.framework.assembly.sparsity import count_entries
count_entries(np.zeros((1, 1), int), np.zeros((1, 1), int), np.zeros(2, int))
"""
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.count("the list of kernels") == 1 and "kernels are compiled on one core" in done.stderr


def test_the_list_names_kernels_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "LIST", listed.PACKAGE / "kernels.json")
    jobs = listed.read_list()
    assert len(jobs) > 80 and len({json.dumps(job) for job in jobs}) == len(jobs)
    for module, name, types, form in jobs:
        function: Any = getattr(importlib.import_module(module), name)
        plain = getattr(function, "py_func", function)
        assert len(types) <= plain.__code__.co_argcount, f"{module}.{name}: run tests/support/list_kernels.py"
        assert form in (BY_ADDRESS, FOR_PYTHON)
        for text in types:
            assert encode_type(decode_type(text)) == text


def create_product(n: int) -> Any:
    """Create a kernel that multiplies a number by n."""

    @kernel(name=f"multiply_by_{n}")
    def multiply(x: float) -> float:
        return n * x

    return multiply


multiply_by_2, multiply_by_3 = create_product(2), create_product(3)


@pytest.mark.skipif(os.environ.get("WINDLASS_JIT") == "0", reason="kernels are not compiled")
def test_kernels_of_factories_are_found_by_their_names() -> None:
    assert (multiply_by_2(5.0), multiply_by_3(5.0)) == (10.0, 15.0)
    assert {"multiply_by_2", "multiply_by_3"} <= {job.name for job in asked() if job.module == __name__}


def test_constant_results_are_kept() -> None:
    """The type of a kernel that always returns the same number or truth value is stored in the cache."""
    types: Any = numba.types  # numba has no type annotations
    for kind in (types.literal(False), types.literal(3), types.Tuple((types.float64, types.literal(True)))):
        assert decode_type(json.loads(json.dumps(encode_type(kind)))) == kind


@pytest.mark.parametrize("model", [CHAIN, (README, *RECORDED)], ids=["chain", "belt"])
def test_the_list_has_all_kernels_of_models(model: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "LIST", listed.PACKAGE / "kernels.json")
    monkeypatch.delenv("WINDLASS_CACHE")
    known = {json.dumps(job) for job in listed.read_list()}
    asked = [job for job in ask(model) if job.module.startswith("windlass.")]
    missing = [f"{job.module}.{job.name}" for job in asked if json.dumps(job) not in known]
    assert len(asked) > 20 and not missing, "run tests/support/list_kernels.py"


def test_all_kernels_of_the_list_compile(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """All kernels of the list compile, except an entry with rows of an earlier schema."""
    monkeypatch.setattr(listed, "LIST", listed.PACKAGE / "kernels.json")
    monkeypatch.delenv("WINDLASS_CACHE")
    assert main(["compile", "-processes", "1"]) == 0, f"{capsys.readouterr().err}: run tests/support/list_kernels.py"


def test_compile_says_what_it_did_and_does_it_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "-processes", "2"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("2 kernels: 2 functions compiled in ") and " by 2 processes, kept in " in first
    files = sorted(path.name for path in tmp_path.glob("cache/*/*"))
    assert [name.rpartition("-")[0] for name in files] == ["count_entries", "fill_entries"]
    assert main(["compile"]) == 0
    assert "2 kernels: all were there, kept in " in capsys.readouterr().out


def test_wrong_words_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("-h", "--help", "help"):
        assert main(["compile", word]) == 0
        assert capsys.readouterr().out.startswith("windlass compile [-processes N]")
    for words in (["belt"], ["-processes"], ["-processes", "0"], ["-processes", "two"], ["-processes", "1", "x"]):
        assert main(["compile", *words]) == 2
        assert f"windlass compile {' '.join(words)}: must be windlass compile [-processes N]" in capsys.readouterr().err


def test_what_keeps_it_from_compiling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed.write_list([[Job("windlass.framework.assembly.sparsity", "gone", [])]])
    assert main(["compile"]) == 2
    assert "not compiled: windlass.framework.assembly.sparsity.gone (AttributeError" in capsys.readouterr().err
    monkeypatch.setenv("WINDLASS_JIT", "0")
    assert main(["compile"]) == 2
    assert "WINDLASS_JIT=0: kernels remain Python functions" in capsys.readouterr().err
    monkeypatch.delenv("WINDLASS_JIT")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert main(["compile"]) == 2
    assert "can be read only: set WINDLASS_CACHE" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WINDLASS_CACHE", str(tmp_path / "file"))
    assert main(["compile"]) == 2
    assert "cannot be used" in capsys.readouterr().err
    monkeypatch.setattr(listed, "start_process", lambda *_: subprocess.Popen(["false"], stdout=subprocess.PIPE))
    monkeypatch.setattr(os, "access", lambda *_: True)
    monkeypatch.setenv("WINDLASS_CACHE", str(tmp_path / "cache"))
    assert main(["compile"]) == 2
    assert "ended early" in capsys.readouterr().err


def test_processes_start_without_mpi(monkeypatch: pytest.MonkeyPatch) -> None:
    """A helper process starts without MPI.

    With MPI, mpiexec would count the helper as one of its processes, and other processes would wait for the helper.
    """
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    monkeypatch.setattr(listed.sys, "executable", "/bin/sh")
    monkeypatch.setattr(listed, "WORDS", ("-c", 'read jobs; echo "$OMPI_COMM_WORLD_SIZE,$OMP_NUM_THREADS,$jobs"'))
    process = listed.start_process(JOBS, subprocess.PIPE)
    out, _ = process.communicate()
    assert out == f",1,{json.dumps(JOBS)}\n"


def test_a_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    process = listed.start_process(JOBS, subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.close()  # the pipe is closed before the compilation has begun
    assert process.stdout is not None
    assert json.loads(process.stdout.read()) == {"compiled": 0, "failed": []}
    process.stdout.close()
    assert process.wait() == 0


def test_a_first_run_has_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[Job]] = []

    def start(jobs: list[Job], output: int) -> Any:
        started.append(jobs)

    monkeypatch.setattr(listed, "start_process", start)
    monkeypatch.setattr(listed, "_helpers", [])
    monkeypatch.setattr(listed, "count_processes", lambda: 3)
    load = [5.0]
    monkeypatch.setattr(os, "getloadavg", lambda: (load[0], 0.0, 0.0))
    sparsity = "windlass.framework.assembly.sparsity"
    jobs = [Job(sparsity, f"kernel_{i}", []) for i in range(listed.FEW)]
    other, extra = (Job("windlass.framework.assembly.mass", name, []) for name in ("other", "extra"))
    absent = Job("windlass.elements.not_loaded", "kernel", [])
    # the second list belongs to a model that is similar to the model of this run; the third list also contains a kernel
    # of a law that this run has not loaded
    listed.write_list([[other, extra], [*jobs, other], [*jobs, other, absent]])
    listed.start_helpers("model:kernel", tmp_path)  # no helper starts for a user's kernel, which may have changed
    assert not started
    listed.start_helpers(f"{sparsity}:kernel_1", tmp_path)
    assert not started  # no helper starts if other processes use the cores
    load[0] = 1.5
    for i in range(3):
        (tmp_path / f"kernel_{i}-0123").write_text("")
    listed.start_helpers(f"{sparsity}:kernel_4", tmp_path)
    assert not started  # no helper starts if most kernels are already compiled
    # The name of a compiled kernel can also be the name of a missing kernel of another law. Therefore helpers check all
    # kernels.
    (tmp_path / "kernel_1-0123").unlink()
    listed.start_helpers(f"{sparsity}:kernel_4", tmp_path)
    # the first helper begins with the fourth kernel of the similar model, the second helper with the ninth kernel; both
    # proceed towards the first kernel, continue with the later kernels, and end with kernels of other models; helpers
    # compile only kernels of modules that the run has loaded
    assert started[0] == [*jobs[3::-1], *jobs[4:], other, extra]
    assert started[1] == [*jobs[8::-1], *jobs[9:], other, extra]
    listed.start_helpers(f"{sparsity}:kernel_1", tmp_path)
    assert len(started) == 2  # no second helper starts for the same kernel


def test_how_many_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 5})
    counts = []
    for wish in ("", "1", "0", "4", "1000", "many"):
        monkeypatch.setenv("WINDLASS_COMPILERS", wish)
        counts.append(listed.count_processes())
    assert counts == [3, 1, 1, 4, listed.MOST + 1, 3]


def test_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kernel-1"
    first, second = Lock(path), Lock(path, wait=False)
    assert (first.held, first.waited, second.held, second.waited) == (True, False, False, True)
    first.release()
    third = Lock(path)
    assert third.held and not third.waited
    third.release()
    third.release()
    assert list(tmp_path.glob("*kernel*")) == []
    nowhere = Lock(tmp_path / "gone" / "kernel-1")
    assert not nowhere.held and not nowhere.waited
    nowhere.release()


HOLD = """
import sys
from pathlib import Path
from windlass.framework.kernels.locks import Lock
lock = Lock(Path(sys.argv[1]))
print(flush=True)
sys.stdin.read()
"""


def test_a_process_that_ends_lets_others_compile(tmp_path: Path) -> None:
    path = tmp_path / "kernel-1"
    command, pipe = [sys.executable, "-c", HOLD, str(path)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert Lock(path, wait=False).waited
        other.kill()
        other.wait()
        assert Lock(path).held


class _Context:
    """A typing context that records the functions whose types are requested."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def resolve_function_type(self, function: Any, arguments: Any, named: Any) -> Any:
        self.asked.append((function, arguments))
        return arguments[0]


def test_results_of_operators_between_numbers_are_found_once() -> None:
    context = _Context()
    remember_operators(context)
    remember_operators(context)
    number, array = decode_type("float64"), decode_type(LONG)
    for _ in range(2):
        assert context.resolve_function_type(operator.add, (number, number), {}) is number
        assert context.resolve_function_type(min, (number, number), {}) is number
        context.resolve_function_type(operator.add, (array, number), {})
        context.resolve_function_type(len, (number,), {})
    assert [function for function, _ in context.asked] == [operator.add, min, operator.add, len, operator.add, len]
