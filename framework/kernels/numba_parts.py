"""Parts of numba that are used without an import of numba: the version number, and the C libraries that machine code
calls.

The import of numba takes a third of the time of a short run. Machine code that was read from files needs only the C
libraries.
"""

from __future__ import annotations

import importlib
import runpy
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any


@cache
def _find_folder() -> Path:
    """Return the folder of the package numba. Raise ImportError if numba is not installed."""
    spec = find_spec("numba")
    if spec is None or spec.origin is None:
        raise ImportError("numba is not installed")
    return Path(spec.origin).parent


@cache
def numba_version() -> str:
    """Return the version of numba. The version is read from a file. Numba is imported only if this file has an unknown
    form.
    """
    try:
        return str(runpy.run_path(str(_find_folder() / "_version.py"))["get_versions"]()["version"])
    except (OSError, LookupError):
        return str(importlib.import_module("numba").__version__)


@cache
def load_c_library(name: str) -> Any:
    """Return one of the C libraries of numba, for example ``"_dynfunc"``.

    Raises:
        ImportError: this version of numba does not have the library.
    """
    whole = f"numba.{name}"
    if "numba" in sys.modules:
        return importlib.import_module(whole)
    stem = _find_folder().joinpath(*name.split("."))
    path = next((path for suffix in EXTENSION_SUFFIXES if (path := stem.with_name(stem.name + suffix)).exists()), None)
    if path is None:
        raise ImportError(f"numba has no library {name}")
    return _load(whole, path)


def _load(name: str, path: Path) -> ModuleType:
    spec = spec_from_file_location(name, path, loader=ExtensionFileLoader(name, str(path)))
    assert spec is not None and spec.loader is not None
    library = module_from_spec(spec)
    spec.loader.exec_module(library)
    sys.modules.pop(name, None)  # a later import of numba then loads this library as usual
    return library


_SETTINGS = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "CPU_NAME", "CPU_FEATURES", "ENABLE_AVX")
"""Settings of numba that affect machine code."""


def find_changed_settings() -> list[tuple[str, str]]:
    """Return the names and values of the settings of numba that a program has changed. A setting has been changed if
    its value differs from the value that follows from environment variables and the settings file.
    """
    config = sys.modules.get("numba.core.config")
    if config is None:
        return []
    initial = _read_initial_settings()
    values = {name: repr(getattr(config, name, None)) for name in _SETTINGS}
    return [(name, value) for name, value in values.items() if value != initial[name]]


@cache
def _read_initial_settings() -> dict[str, str]:
    found = runpy.run_path(str(_find_folder().joinpath("core", "config").with_suffix(".py")))
    return {name: repr(found.get(name)) for name in _SETTINGS}
