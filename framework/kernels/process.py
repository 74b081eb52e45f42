"""Data of the kernels of this process: the folder and the keys of machine code, the kernels that were read or compiled,
and messages.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from windlass.framework.kernels.cache import FORMAT, find_folder, read_file
from windlass.framework.kernels.cache_key import eval_content
from windlass.framework.kernels.listed import Job, file_stem
from windlass.framework.kernels.locks import Lock
from windlass.framework.kernels.machine_code import FORMS, INNER, MachineCode
from windlass.framework.kernels.numba_parts import find_changed_settings, numba_version
from windlass.framework.launch.launcher import launched_rank


@dataclass
class Process:
    """Global state of the kernels in this process."""

    compiled: list[tuple[str, float]] = field(default_factory=list)  # name and compilation time [s] of each kernel
    loaded: int = 0  # number of kernels that were read from the cache folder
    waited: float = 0.0  # waiting time [s] for kernels that other processes compiled
    # for each requested kernel that is not an inner kernel: the kernel, the types of the arguments, and the form
    asked: list[tuple[Any, list[Any], str]] = field(default_factory=list)
    # Compile results by key. If a factory function creates an equal kernel again, the new kernel uses the stored
    # result.
    ready: dict[str, Any] = field(default_factory=dict)
    read: dict[str, MachineCode] = field(default_factory=dict)  # machine code from files, by key
    said: set[str] = field(default_factory=set)  # topics for which a message has been printed


process = Process()
_reading = threading.RLock()
"""Lock for the reading of kernels. With this lock, each file is linked only once."""
_WITHOUT_EFFECT = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")
"""Environment variables of numba that do not affect the machine code of kernels."""


def cache_folder() -> tuple[Path | None, str]:
    """Return the folder of machine code for this version of Python and numba, or None and the reason why no folder is
    used.
    """
    wish = os.environ.get("WINDLASS_CACHE")
    return find_folder(wish or _find_default(os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME")))


@cache
def _find_default(common: str | None, _home: str | None) -> str:
    """Return the default folder for the values of the environment variables XDG_CACHE_HOME and HOME."""
    return f"{common or os.path.expanduser('~/.cache')}/windlass"


def compiled() -> list[tuple[str, float]]:
    """Return the name and the compilation time [s] of each kernel that this process has compiled, in the order of
    completion. The time does not include the compilation of called kernels.
    """
    return list(process.compiled)


def compiling_time() -> float:
    """Return the time [s] that this process has spent on compilation, including waiting times for the compilations of
    other processes.
    """
    return process.waited + sum(seconds for _, seconds in process.compiled)


def loaded() -> int:
    """Return the number of compiled kernels that this process has read from the cache folder."""
    return process.loaded


def asked() -> list[Job]:
    """Return the kernels that this process has requested, with names and types of arguments, as entries of the file
    kernels.json.
    """
    found = []
    for function, types, form in process.asked:
        module, name = function.__module__, function.__qualname__
        if vars(sys.modules[module]).get(name) is function:
            found.append(Job(module, name, types, form))
    return found


def is_kept(function: Any, types: list[Any], form: str) -> bool:
    """Return whether the machine code of a kernel for these types of arguments is in the cache folder, or is being
    compiled by another process. The code must have the needed form or a more complete form (see machine_code.py).
    """
    folder, _ = cache_folder()
    if folder is None:
        return False
    keys = eval_keys(function, types, None, form)
    if any((folder / key).exists() for key in keys):
        return True
    lock = Lock(folder / keys[0], wait=False)
    lock.release()
    return lock.waited


def find_kept(function: Any, types: list[Any], form: str) -> MachineCode | None:
    """Return the machine code of a kernel from the cache folder. Return None if there is no file for the
    kernel, or if this process has compiled the kernel.

    Args:
        function: the kernel.
        types: types of the arguments, see `encode_value`.
        form: the needed form, not `INNER`.
    """
    with _reading:
        return _find_kept(function, types, form)


def _find_kept(function: Any, types: list[Any], form: str) -> MachineCode | None:
    """Return the machine code of a kernel from the cache folder, see `find_kept`."""
    try:
        keys = eval_keys(function, types, None, form)
        if not process.ready.keys().isdisjoint(keys):
            return None
        folder, _ = cache_folder()
        code = next((process.read[key] for key in keys if key in process.read), None)
        is_new = code is None
        if is_new and folder is not None:
            code = next(filter(None, (read_machine_code(folder / key, key) for key in keys)), None)
            process.loaded += code is not None
    except Exception:  # the compiler reads the file again, and prints the error if the file cannot be used
        return None
    # a kernel that was read earlier in a more complete form is already in the list
    if code is not None and (is_new or code.form == form):
        process.asked.append((function, types, form))
    return code


def read_machine_code(path: Path, key: str) -> MachineCode | None:
    """Return the machine code in a file, or None if the file does not exist. The function raises the errors of
    `read_file` and `MachineCode`.
    """
    found = read_file(path, key)
    if found is None:
        return None
    header, code, _ = found
    process.read[key] = MachineCode(header, code)
    return process.read[key]


def eval_keys(function: Any, types: list[Any], return_type: Any, form: str) -> list[str]:
    """Return the file names of a kernel for these types of arguments and result, in the given form and in more complete
    forms. The type of the result is usually None.

    Each name contains 40 hexadecimal digits of a hash and is therefore unique.
    """
    function.content = eval_content(function, {}, ())
    facts = (function.content, types, return_type, find_machine(), find_settings())
    same, stem = hashlib.sha256(repr(facts).encode()), file_stem(function.__qualname__)
    keys = []
    for enough in FORMS[FORMS.index(form) :]:
        own = same.copy()
        own.update(enough.encode())
        mark = "-inner" if enough == INNER else ""  # the file of an inner kernel contains no machine code
        keys.append(f"{stem}-{own.hexdigest()[:40]}{mark}")
    return keys


@cache
def find_machine() -> tuple[Any, ...]:
    """Return the properties of this machine on which machine code depends: the versions of libraries, and the
    processor.
    """
    try:
        llvm.load_library_permanently("libsvml.so")  # numba uses this library if it is installed
        vectors = True
    except RuntimeError:
        vectors = False
    versions = (FORMAT, sys.implementation.cache_tag, numba_version(), llvmlite.__version__, np.__version__)
    processor = (llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    return *versions, *processor, vectors


def find_settings() -> list[tuple[str, str]]:
    """Return all settings of numba from environment variables, from numba's settings file, and from programs."""
    return find_initial_settings() + find_changed_settings()


@cache
def find_initial_settings() -> list[tuple[str, str]]:
    """Return the settings of numba at the start of the process, from environment variables and from numba's settings
    file.
    """
    names = sorted(name for name in os.environ if name.startswith("NUMBA_") and name not in _WITHOUT_EFFECT)
    found = [(name, os.environ[name]) for name in names]
    if os.path.exists(".numba_config.yaml"):
        found.append((".numba_config.yaml", Path(".numba_config.yaml").read_text()))
    return found


def describe_place() -> str:
    """Return a text that states the folder of the machine code, or the reason why the machine code is not stored for
    later runs.
    """
    folder, reason = cache_folder()
    if folder is not None and not os.access(folder, os.W_OK):
        reason = f"the cache folder {folder} can be read only"
    advice = "set WINDLASS_CACHE to a folder of your own that can be written"
    return f"for this run only: {reason}; {advice}" if reason else f"kept in {folder}"


def say_once(topic: str, message: str) -> None:
    """Print a message to stderr, once per topic and only on the first process. The rank is read without mpi4py, which
    may not have been imported yet.
    """
    if topic not in process.said and launched_rank() == 0:
        print(f"windlass: {message}", file=sys.stderr, flush=True)
    process.said.add(topic)


def say_unusable(name: str, error: Exception) -> None:
    """Print that the machine code of a kernel in the cache folder cannot be used."""
    say_once("reading", f"the kept machine code of {name} cannot be used ({error!r}): compiling again")
