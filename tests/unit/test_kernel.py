"""Tests of the decorator `kernel` and of its cache, which several processes use: kernels that are loaded, kernels that
are compiled, and notes.
"""

import dis
import inspect
import json
import math
import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

import windlass
from windlass.framework.kernels.cache_key import list_names
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.signature import count_results
from windlass.framework.model.rows import find_attributes

from support.processes import run_warm

ANNOUNCEMENT = "windlass: compiling kernels for this machine (first use, kept in "

# Three files of a user: helper functions, a law with a NamedTuple of parameters and a factory around it, and a script.
HELPERS = """
from math import sqrt
from windlass.framework.kernels.kernel import kernel
SCALE = 2.0
@kernel(inline=True)
def length(a, b):
    "Length of a vector."
    return SCALE * sqrt(a * a + b * b)
"""
LAW = """
from typing import NamedTuple
import numpy as np
import helpers
from windlass.framework.kernels.kernel import kernel
class Row(NamedTuple):
    stiffness: float
    count: int
    offset: np.ndarray
@kernel
def plain(x, n=3):
    return x * n
@kernel
def force(row, x):
    if x != x:
        raise ValueError("position is not finite")
    return row.stiffness * helpers.length(x, row.offset[0]) + row.count
@kernel
def swap(row):
    return Row(2.0 * row.stiffness, row.count, row.offset)
def make_loop(row_kernel, factor):
    @kernel
    def loop(row, x, f):
        for i in range(x.shape[0]):
            f[i] = factor * row_kernel(row, x[i])
    return loop
"""
SCRIPT = """
import numpy as np
import law
row, x, f = law.Row(10.0, 1, np.array([4.0])), np.array([3.0, 0.0]), np.zeros(2)
results = [law.plain(1.5), law.force(row, 3.0)]
for factor in (1.0, 2.0, 1.0):
    law.make_loop(law.force, factor)(row, x, f)
    results += f.tolist()
results.append(type(law.swap(row)) is law.Row)
try:
    law.make_loop(law.force, 1.0)(row, np.array([np.nan]), f)
except ValueError as error:
    results.append(str(error))
"""
REPORT = """
import json
import sys
from windlass.framework.kernels.process import compiled, loaded
json.dump({"results": results, "compiled": [name for name, _ in compiled()], "loaded": loaded()}, sys.stdout)
"""
RESULTS = [4.5, 101.0, 101.0, 81.0, 202.0, 162.0, 101.0, 81.0, True, "position is not finite"]
# compiled kernels: plain, force, two loops (the third loop equals the first) and swap; length is compiled inside force
KERNELS = 5
LOOP = "make_loop.<locals>.loop"


class Outcome(NamedTuple):
    results: list[Any]
    compiled: list[str]
    loaded: int
    stderr: str


def settings(folder: Path, **environment: str) -> dict[str, str]:
    """Return the environment in which the script of a folder runs; the default cache is next to the folder."""
    own = {"PYTHONPATH": f"{Path(windlass.__file__).parents[1]}{os.pathsep}{folder}", "OMP_NUM_THREADS": "1"}
    own["WINDLASS_CACHE"] = str(folder.parent / "cache")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("WINDLASS", "NUMBA"))}
    return inherited | own | environment


def run(folder: Path, kind: int = 1, **environment: str) -> Outcome:
    """Run the script of a folder in a separate process with another hash seed of strings."""
    done = run_warm([str(folder / "script.py")], None, settings(folder, **environment), kind=kind)
    assert done.returncode == 0, done.stderr
    return Outcome(**json.loads(done.stdout), stderr=done.stderr)


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    # a module that is edited twice within a second, to the same size, must not be read from a cached file
    shutil.rmtree(file.parent / "__pycache__", ignore_errors=True)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """Return a folder of the user's files with a filled cache next to it, and the outcome of the run that filled the
    cache.
    """
    folder = tmp_path_factory.mktemp("user") / "model"
    folder.mkdir()
    for name, text in {"helpers": HELPERS, "law": LAW, "script": SCRIPT + REPORT}.items():
        (folder / f"{name}.py").write_text(text)
    return folder, run(folder, 0)


@pytest.fixture
def user(warm: tuple[Path, Outcome], tmp_path: Path) -> Path:
    """Return a folder with a copy of the user's files; a copy of the cache is next to it."""
    folder, _ = warm
    shutil.copytree(folder, tmp_path / "moved", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(folder.parent / "cache", tmp_path / "cache")
    return tmp_path / "moved"


def test_first_process_compiles_and_says_so(warm: tuple[Path, Outcome]) -> None:
    folder, first = warm
    assert first.results == RESULTS
    assert first.loaded == 0
    assert sorted(first.compiled) == ["force", "length", LOOP, LOOP, "plain", "swap"]
    assert first.stderr.count(ANNOUNCEMENT + str(folder.parent / "cache")) == 1


def test_second_process_compiles_nothing_even_in_another_place(user: Path) -> None:
    second = run(user)
    assert second == Outcome(RESULTS, [], KERNELS, "")


def test_editing_a_callee_in_another_file_recompiles_its_callers_only(user: Path) -> None:
    edit(user / "helpers.py", "sqrt(a * a + b * b)", "sqrt(a * a + 2.25 * b * b)")
    edited = run(user)
    assert edited.results[1] == pytest.approx(10 * 2 * math.sqrt(45) + 1, rel=1e-14)
    assert edited.results[2] == edited.results[1]
    assert edited.compiled == ["length", "force", LOOP, LOOP]
    assert edited.loaded == 2  # the kernels `plain` and `swap` are loaded from the cache
    edit(user / "helpers.py", "2.25 * b * b", "b * b")  # the edit is undone, and the first machine code still exists
    assert run(user) == Outcome(RESULTS, [], KERNELS, "")


def test_editing_a_constant_of_a_callee_recompiles_and_words_do_not(user: Path) -> None:
    edit(user / "helpers.py", "@kernel", "# a comment\n\n@kernel")
    edit(user / "helpers.py", "Length of a vector.", "Euclidean norm.")
    assert run(user).compiled == []
    edit(user / "helpers.py", "SCALE = 2.0", "SCALE = 3.0")
    edited = run(user)
    assert edited.results[1] == 151.0
    assert "force" in edited.compiled and "plain" not in edited.compiled


def test_editing_the_fields_of_a_namedtuple_recompiles(user: Path) -> None:
    edit(user / "law.py", "    stiffness: float\n    count: int\n", "    count: int\n    stiffness: float\n")
    edit(user / "script.py", "law.Row(10.0, 1,", "law.Row(1, 10.0,")
    edit(user / "law.py", "Row(2.0 * row.stiffness, row.count,", "Row(row.count, row.stiffness,")
    edited = run(user)
    assert edited.results == RESULTS
    assert edited.loaded == 2  # two kernels are compiled: plain, and length inside force


def test_damaged_files_are_compiled_anew_and_repaired(user: Path) -> None:
    (file,) = (user.parent / "cache").glob("*/force-*")
    whole = file.read_bytes()
    (other,) = (user.parent / "cache").glob("*/plain-*")
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    for content, reason in (
        (whole[:1000], "has no digest at its end"),
        (bytes(flipped), "does not have the digest at its end"),
        (other.read_bytes(), "it belongs to another kernel"),
    ):
        file.write_bytes(content)
        repaired = run(user)
        assert repaired.results == RESULTS
        assert repaired.compiled == ["force"]
        assert "the kept machine code of force cannot be used" in repaired.stderr and reason in repaired.stderr
        assert run(user) == Outcome(RESULTS, [], KERNELS, "")


def test_processes_that_fill_the_cache_at_once_do_not_disturb_each_other(user: Path) -> None:
    shutil.rmtree(user.parent / "cache")
    with ThreadPoolExecutor() as pool:
        outcomes = list(pool.map(lambda rank: run(user, rank, OMPI_COMM_WORLD_RANK=str(rank)), range(2)))
    assert [outcome.results for outcome in outcomes] == [RESULTS, RESULTS]
    # one process waits for the kernels of the other process, and only the first rank prints
    assert (ANNOUNCEMENT in outcomes[0].stderr) == bool(outcomes[0].compiled)
    assert outcomes[1].stderr == ""
    assert run(user) == Outcome(RESULTS, [], KERNELS, "")
    assert not list((user.parent / "cache").glob("*/part-*"))


def test_without_a_cache_folder_kernels_are_compiled_with_one_message(user: Path) -> None:
    blocked = user / "blocked"
    blocked.write_text("a file where the folder should be")
    outcome = run(user, WINDLASS_CACHE=str(blocked))
    assert outcome.results == RESULTS
    assert outcome.loaded == 0
    assert outcome.stderr.count("\n") == 1
    assert f"(first use, for this run only: the cache folder {blocked} cannot be used" in outcome.stderr


def test_folders_and_files_that_others_may_write_are_not_believed(user: Path) -> None:
    """Machine code in folders or files that others may write is not loaded, because it would run with the rights of
    this user. If possible, new code replaces this code.
    """
    (folder,) = (user.parent / "cache").iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    (file,) = folder.glob("force-*")
    file.chmod(0o622)
    outcome = run(user)
    assert (outcome.results, outcome.compiled) == (RESULTS, ["force"])
    assert "other users may write it')): compiling again" in outcome.stderr
    assert run(user) == Outcome(RESULTS, [], KERNELS, "")
    planted = file.rename(user / "planted")
    file.symlink_to(planted)
    assert run(user).compiled == ["force"] and not file.is_symlink()
    for place in (folder, folder.parent):
        place.chmod(0o777)
        outcome = run(user)
        assert outcome.results == RESULTS and outcome.loaded == 0
        assert f"cannot be used (other users may write {place})" in outcome.stderr and outcome.stderr.count("\n") == 1
        place.chmod(0o700)
    assert run(user) == Outcome(RESULTS, [], KERNELS, "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_files_of_other_users_are_not_believed(user: Path) -> None:
    (folder,) = (user.parent / "cache").iterdir()
    for file in folder.glob("force-*"):
        os.chown(file, 12345, 12345)
    assert run(user).compiled == ["force"]
    os.chown(folder, 12345, 12345)
    outcome = run(user)
    assert outcome.loaded == 0 and f"{folder} belongs to user 12345" in outcome.stderr


def test_python_mode_returns_the_function_itself(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDLASS_JIT", "0")

    def twice(x: float) -> float:
        return 2 * x

    assert kernel(twice) is twice
    assert kernel(fast=False)(twice) is twice
    assert run(user, WINDLASS_JIT="0") == Outcome(RESULTS, [], 0, "")


MANY = """
import sys
import numpy as np
from windlass.framework.kernels.kernel import kernel
def make(number):
    @kernel
    def row(x, i):
        return number * x[i]
    @kernel
    def loop(x, f):
        for i in range(x.shape[0]):
            f[i] = row(x, i)
    return loop
calls = [0]
def note(*_):
    calls[0] += 1
sys.setprofile(note)
for number in range(8):
    make(number)(np.ones(3), np.zeros(3))
sys.setprofile(None)
results = calls
"""


def test_reading_kernels_is_quick(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    (folder / "script.py").write_text(MANY + REPORT)
    first, second = run(folder), run(folder)
    assert (second.compiled, second.loaded) == ([], 8)
    # the test counts calls of functions, which do not depend on the load of the machine
    assert second.results[0] < 0.1 * first.results[0]


MAKES = """
import sys
import numba
import numpy as np
from windlass.framework.kernels.kernel import kernel
@kernel
def double(x):
    y = np.empty(x.shape)
    y[:] = 2.0 * x
    return y
results = [double(np.ones(2)).tolist(), numba.core.runtime.rtsys._init]
"""


def test_a_kernel_that_is_read_starts_without_the_functions_of_the_compiler(tmp_path: Path) -> None:
    """Kernels that create arrays need the library for arrays, but not the functions that numba compiles for it."""
    folder = tmp_path / "makes"
    folder.mkdir()
    (folder / "script.py").write_text(MAKES + REPORT)
    first, second = run(folder), run(folder)
    assert (first.results, second.results) == ([[2.0, 2.0], True], [[2.0, 2.0], False])
    assert (second.compiled, second.loaded) == ([], 1)


WITHOUT_NUMBA = """
import sys
import numpy as np
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program
@kernel
def halve(x):
    if x[0] < 0.0:
        raise ValueError("a negative number")
    y = np.empty(x.shape)
    y[:] = 0.5 * x
    return y.sum(), len(y)
@kernel
def add(x, y):
    if x[0] < 0.0:
        raise ValueError("a negative sum")
    y += x
x, y = np.array([1.0, 3.0]), np.zeros(2)
program = Program([(call(add, (x, y)), (None,))])
program()
results = [*call(halve)(x), *y.tolist(), "numba" in sys.modules]
x[0] = -1.0
for fails in (program, lambda: halve(x)):
    try:
        fails()
    except ValueError as error:
        results.append(str(error))
"""


def test_kernels_that_are_read_need_no_compiler(tmp_path: Path) -> None:
    """Numba is not imported to read kernels and to call them from Python and by address. Kernels that are read raise
    the same errors as compiled kernels.
    """
    folder = tmp_path / "reads"
    folder.mkdir()
    (folder / "script.py").write_text(WITHOUT_NUMBA + REPORT)
    command = [sys.executable, str(folder / "script.py")]  # `run` would import numba before the script
    texts = [subprocess.run(command, env=settings(folder), stdout=subprocess.PIPE, check=True).stdout for _ in range(2)]
    first, second = (Outcome(**json.loads(text), stderr="") for text in texts)
    errors = ["a negative sum", "a negative number"]
    assert first.results == [2.0, 2, 1.0, 3.0, True, *errors] and first.loaded == 0
    assert second.results == [2.0, 2, 1.0, 3.0, False, *errors] and second.compiled == []


FREED = """
import sys
import numpy as np
from windlass.framework.kernels.kernel import kernel
@kernel
def double(x):
    return 2.0 * x
y = double(np.ones(100))
import numba
results = [y.sum()]
del y
"""


def test_arrays_of_kernels_are_freed_after_a_later_import_of_numba(tmp_path: Path) -> None:
    """Arrays that a kernel creates before the import of numba have the same allocator as arrays that are created after
    the import. Python's debug allocator ends the process if it must release memory that another allocator has reserved.
    """
    folder = tmp_path / "freed"
    folder.mkdir()
    (folder / "script.py").write_text(FREED + REPORT)
    command = [sys.executable, str(folder / "script.py")]  # `run` would import numba before the script
    checked = settings(folder, PYTHONMALLOC="debug")
    texts = [subprocess.run(command, env=checked, stdout=subprocess.PIPE, check=True).stdout for _ in range(2)]
    assert [Outcome(**json.loads(text), stderr="").results for text in texts] == [[200.0], [200.0]]
    assert json.loads(texts[1])["compiled"] == []


OTHER_VERSION = """
import os, runpy, sys
from windlass.framework.kernels import machine_code, numba_parts
part, load, read = os.environ["MISSING"], numba_parts.load_c_library, runpy.run_path
class Changed:
    def __init__(self, library):
        self.library = library
    def __getattr__(self, name):
        if name == part:
            raise AttributeError(name)
        if part == "symbols" and name == "c_helpers":
            return {}
        return getattr(self.library, name)
def load_changed(name):
    if name == part:
        raise ImportError(name)
    return Changed(load(name))
def read_changed(path):
    if path.endswith(part):
        raise FileNotFoundError(path)
    return read(path)
machine_code.load_c_library, numba_parts.runpy.run_path = load_changed, read_changed
"""


PARTS = ["_dynfunc", "c_helpers", "make_function", "Environment", "memsys_use_cpython_allocator"]


def run_without(part: str, folder: Path) -> Outcome:
    """Run the script of a folder with a version of numba in which a part is missing."""
    command = [sys.executable, str(folder / "script.py")]  # `run` would import numba before the script
    done = subprocess.run(command, env=settings(folder, MISSING=part), capture_output=True, text=True, check=True)
    return Outcome(**json.loads(done.stdout), stderr=done.stderr)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """Return a folder with a script and a filled cache next to it, and the outcome of the run that filled the cache."""
    folder = tmp_path_factory.mktemp("complete") / "other"
    folder.mkdir()
    (folder / "script.py").write_text(OTHER_VERSION + WITHOUT_NUMBA + REPORT)
    return folder, run_without("nothing", folder)


@pytest.mark.parametrize("part", [*PARTS, "symbols", "_version.py"])
def test_versions_of_numba_without_a_part_import_numba(
    complete: tuple[Path, Outcome], tmp_path: Path, part: str
) -> None:
    """If a part that stored kernels need is missing in a version of numba, numba is imported, and the kernels are
    compiled in every run; a note states the reason. If only the version number is in another place, or only numba
    defines the symbols, the kernels are read after the import of numba.
    """
    folder, first = complete
    shutil.copytree(folder.parent, tmp_path / "copy")
    second = run_without(part, tmp_path / "copy" / folder.name)
    expected = [2.0, 2, 1.0, 3.0, True, "a negative sum", "a negative number"]
    is_compiled = part in PARTS
    for outcome, compiles, fails in ((first, True, False), (second, is_compiled, is_compiled)):
        assert outcome.results == expected and (outcome.compiled != []) == compiles, outcome
        assert ("cannot be used" in outcome.stderr) == fails, outcome


SETTINGS = """
import numba
if False:
    numba.config.LOOP_VECTORIZE = 0
from windlass.framework.kernels.kernel import kernel
@kernel
def double(x):
    return 2.0 * x
results = [double(1.5)]
"""


def test_settings_of_the_compiler_have_their_own_machine_code(tmp_path: Path) -> None:
    """Settings that affect machine code are part of the key of the cache, whether an environment variable or a program
    sets them.
    """
    folder = tmp_path / "settings"
    folder.mkdir()
    (folder / "script.py").write_text(SETTINGS + REPORT)
    changed = SETTINGS.replace("if False:", "if True:") + REPORT
    assert run(folder).compiled == ["double"]
    assert run(folder, NUMBA_OPT="2").compiled == ["double"]
    assert run(folder, NUMBA_NUM_THREADS="1").compiled == []  # kernels do not use threads of numba
    (folder / "script.py").write_text(changed)
    assert run(folder).compiled == ["double"]
    assert run(folder).compiled == []


def test_the_signature_of_a_kernel_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[object] = []
    original = inspect.Signature.from_callable.__func__  # type: ignore[attr-defined]

    def count(kind: type[inspect.Signature], function: object, **more: Any) -> inspect.Signature:
        found.append(getattr(function, "__signature__", None))
        return original(kind, function, **more)  # type: ignore[no-any-return]

    def plain(x, n=3):  # type: ignore[no-untyped-def]
        return n * x

    def first(x):  # type: ignore[no-untyped-def]
        return x

    _ = kernel(first).dispatcher  # type: ignore[attr-defined]  # the first one needs signatures of Numba's functions
    monkeypatch.setattr(inspect.Signature, "from_callable", classmethod(count))
    compiled_version: Any = kernel(plain)
    assert not found
    _ = compiled_version.dispatcher
    assert found[0] is None and None not in found[1:]
    assert str(inspect.signature(compiled_version)) == "(x, n=3)"
    assert "__signature__" not in vars(plain) and "__signature__" not in vars(compiled_version)


def list_codes() -> list[CodeType]:
    """Return the code of many functions and kernels."""
    modules = [
        module for name, module in list(sys.modules.items()) if name.startswith(("windlass", "json", "numpy.lib"))
    ]
    values = [value for module in modules for value in list(vars(module).values())]
    codes = [getattr(getattr(value, "py_func", value), "__code__", None) for value in values]
    # functions of compiled modules have code without instructions
    known = [code for code in codes if isinstance(code, CodeType) and code.co_filename.endswith(".py")]
    assert len(known) > 200
    return known


def test_names_in_instructions_are_those_of_dis() -> None:
    """The key of the cache is computed from byte code, and names and scopes agree with Python's disassembler."""
    scopes = {"LOAD_GLOBAL": "global", "LOAD_NAME": "global", "LOAD_DEREF": "cell"}
    scopes |= {"LOAD_ATTR": "attribute", "LOAD_METHOD": "attribute"}
    for code in list_codes():
        steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
        named = [(scopes.get(step.opname, ""), step.argval if step.opname in scopes else "") for step in steps]
        assert list(list_names(code)) == named


def test_numbers_of_results_are_those_of_dis() -> None:
    """The numbers of results of functions are read from byte code, and agree with Python's disassembler."""

    def count(value: object) -> int:
        return 0 if value is None else len(value) if isinstance(value, tuple) else 1

    several = 0
    for code in list_codes():
        expected, before = set[int](), None
        for step in dis.get_instructions(code):
            if step.opname == "EXTENDED_ARG":
                continue
            if step.opname == "RETURN_CONST":
                expected.add(count(step.argval))
            elif step.opname == "RETURN_VALUE" and before is not None:
                if before.opname == "LOAD_CONST":
                    expected.add(count(before.argval))
                elif before.opname == "BUILD_TUPLE":
                    expected.add(before.argval)
                elif before.opname.startswith(("BINARY_OP", "UNARY_", "COMPARE_OP")):
                    expected.add(1)
            before = step
        closure = tuple(CellType() for _ in code.co_freevars)
        assert count_results(FunctionType(code, {}, closure=closure)) == expected
        several += len(expected) > 1
    assert several > 1


def test_attributes_of_local_variables_are_those_of_dis() -> None:
    """The attributes of local variables, which are read from byte code to check the names of columns in laws, agree
    with Python's disassembler.
    """
    for code in list_codes():
        expected, before = set(), None
        for step in dis.get_instructions(code):
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR") and before is not None:
                expected.add((before, step.argval))
            if step.opname != "EXTENDED_ARG":
                before = None
            if step.opname.startswith("LOAD_FAST"):
                before = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
        assert find_attributes(code) == expected
