"""The list of kernels that models need, and the processes that compile these kernels in parallel.

The file kernels.json of the package lists the kernels that Python, programs or C code call. An entry contains the
module and name of a kernel, the types of the arguments, and the form of the kernel (see compiling.py). For some models,
the file also lists the kernels of the model in the order in which the model requests them. The script
tests/support/list_kernels.py creates the file.

In the first run on a machine, the machine code of many listed kernels is missing. Then additional processes on the
other cores compile these kernels together with this process (see ahead.py). Each additional process first compiles the
kernels of the listed model that is most similar to the present model. This process compiles the kernels of this model
in the order of the list. The additional processes begin at later positions of the list and continue in the reverse
order. With one additional process, the two processes work towards a common position of the list and finish at the same
time, although the compilation times of the kernels differ by a factor of 200.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from windlass.framework.errors import WindlassError
from windlass.framework.launch.launcher import child_environment
from windlass.framework.launch.lazy_names import libraries

if TYPE_CHECKING:
    import subprocess

PACKAGE = Path(str(sys.modules["windlass"].__file__)).parent
LIST = PACKAGE / "kernels.json"
WORDS = ("-P", "-m", "windlass.framework.kernels.ahead")
FEW = 10
"""Compiling processes are started if at least this number of kernels is missing."""
MOST = 8
"""Largest number of processes that compile kernels in addition to this process."""
EARLY = 7 / 8
"""Fraction of the kernels of a listed model that are needed in the first steps. The other kernels are compiled last."""


class Job(NamedTuple):
    """An entry of the list: kernel, types of the arguments (see type_names.py) and form (see compiling.py)."""

    module: str
    name: str
    types: list[Any]
    form: str = "python"


class ListError(WindlassError):
    """Error for a list of kernels that cannot be read."""


def read_list() -> list[Job]:
    """Return all kernels of the list.

    Raises:
        ListError: the list is missing or damaged.
    """
    return _read()[0]


def _read() -> tuple[list[Job], list[list[Job]]]:
    """Return all kernels of the list and, for each listed model, the kernels in the order in which the model requests
    them.
    """
    try:
        listed = json.loads(LIST.read_text())
        types = listed["types"]
        jobs = [
            Job(module, name, [types[i] for i in numbers], form) for module, name, numbers, form in listed["kernels"]
        ]
        return jobs, [[jobs[i] for i in model] for model in listed["models"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        fault = "missing" if isinstance(error, FileNotFoundError) else f"damaged ({type(error).__name__})"
        raise ListError(
            f"the list of kernels {LIST} is {fault}: must be a file of the package, install it again"
        ) from None


def write_list(models: list[list[Job]]) -> None:
    """Write the list of kernels that models request. The argument ``models`` contains, for each model, the kernels in
    the order in which the model requests them. Each kernel and each type is stored only once in the file.
    """
    numbers: dict[str, int] = {}
    places: dict[str, int] = {}
    for module, name, types, form in (job for model in models for job in model):
        text = json.dumps([module, name, [numbers.setdefault(json.dumps(kind), len(numbers)) for kind in types], form])
        places.setdefault(text, len(places))
    lists = [
        json.dumps(
            [
                places[json.dumps([job.module, job.name, [numbers[json.dumps(kind)] for kind in job.types], job.form])]
                for job in model
            ]
        )
        for model in models
    ]
    parts = {"types": list(numbers), "kernels": list(places), "models": lists}
    # the file has one line for each type, each kernel and each model
    blocks = [f'"{title}": [\n' + ",\n".join(lines) + "\n]" for title, lines in parts.items()]
    LIST.write_text("{\n" + ",\n".join(blocks) + "\n}\n")


def file_stem(name: str) -> str:
    """Return the text at the beginning of the names of all files of a kernel."""
    return re.sub("[^A-Za-z0-9_]+", ".", name)[-80:]


def count_processes() -> int:
    """Return the number of processes that may compile at the same time: WINDLASS_COMPILERS, or by default the number of
    cores that this process may use.
    """
    wish = os.environ.get("WINDLASS_COMPILERS", "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(max(int(wish), 1) if wish.isdigit() else cores, MOST + 1)


def start_process(jobs: list[Job], output: int) -> subprocess.Popen[str]:
    """Start a process that compiles kernels. The new process ends when all kernels are compiled, or when its input or
    this process ends.

    The new process does not use MPI, because the MPI launcher would count the new process as a process of the job.
    """
    import subprocess  # imported here, because most runs start no processes

    environment = child_environment(alone=True) | {"OMP_NUM_THREADS": "1", "WINDLASS_COMPILERS": "1"}
    process = subprocess.Popen(
        [sys.executable, *WORDS],
        env=environment, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(jobs) + "\n")
        process.stdin.flush()
    except BrokenPipeError:  # the new process has already ended
        pass
    return process


_helpers: list[subprocess.Popen[str]] = []
"""Compiling processes that this process has started. Their input ends when this process ends."""


def start_helpers(missing: str, folder: Path) -> None:
    """Start compiling processes on other cores if the kernel ``missing`` is in the list, and the machine code of many
    listed kernels is missing.

    Args:
        missing: module and name of a kernel without machine code, ``"module:name"``.
        folder: folder of machine code.

    Raises:
        ListError: the list is missing or damaged.
    """
    if _helpers or (number := count_processes() - 1) < 1:
        return
    # no new processes are started on a busy machine, because this process would have to wait for them
    if "WINDLASS_COMPILERS" not in os.environ and os.getloadavg()[0] > number + 1:
        return
    jobs, models = _read()
    if missing not in {f"{job.module}:{job.name}" for job in jobs}:
        return
    kept = {name.rpartition("-")[0] for name in os.listdir(folder)}
    laws = tuple(f"{package}." for package in libraries)

    def is_loaded(module: str) -> bool:
        return module in sys.modules or not module.startswith(laws)

    wanted = [job for job in jobs if is_loaded(job.module)]
    if sum(file_stem(job.name) not in kept for job in wanted) < FEW:
        return
    # A name does not identify a kernel, because kernels of several laws may have equal names. Therefore each new
    # process checks which kernels are compiled.
    import subprocess  # imported here, because most runs start no processes

    similar = _find_similar(models, is_loaded)
    others = [job for job in reversed(wanted) if job not in similar]
    for first in range(number):
        begin = int(EARLY * len(similar) * (first + 1) / number)
        _helpers.append(start_process(similar[:begin][::-1] + similar[begin:] + others, subprocess.DEVNULL))


def _find_similar(models: list[list[Job]], is_loaded: Callable[[str], bool]) -> list[Job]:
    """Return the kernels of the listed model with the laws that are most similar to the loaded laws of this process.
    Modules that few models use have a larger weight in this comparison.
    """
    used = [{job.module for job in model} for model in models]
    count = Counter(module for modules in used for module in modules)
    scores = [sum(1.0 / count[module] for module in modules) * all(map(is_loaded, modules)) for modules in used]
    best = max(range(len(models)), key=scores.__getitem__, default=0)
    return models[best] if scores and scores[best] > 0.0 else []
