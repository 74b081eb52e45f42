"""Comparison of the digits of results on two systems: a pytest plugin that records final vectors of solves, and a
program that compares these vectors.

    PYTHONPATH=tests make pytest PYTEST_ADDOPTS="-p support.digits --digits=FOLDER" on each system, followed by
    PYTHONPATH=src:tests python -m support.digits FOLDER OTHER

Solves of programs that a test starts are not recorded. For long vectors, only every n-th value is stored.
"""

from __future__ import annotations

import functools
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

KEPT = 2000
"""Largest number of stored values of a vector."""
DECADES = range(-15, 0)


class Digits:
    """Plugin that records the final vectors of each solve of a test, by the name of the test, the number of the solve
    and the vector.
    """

    def __init__(self, file: Path) -> None:
        self.file, self.test, self.count, self.watches = file, "", 0, False
        self.values: dict[str, Any] = {}

    def watch(self, solver: type) -> None:
        """Record the result of a solver."""
        plain: Callable[..., Any] = solver.solve  # type: ignore[attr-defined]

        @functools.wraps(plain)
        def solve(*given: Any, **named: Any) -> Any:
            result = plain(*given, **named)
            self.count += 1
            names = ("eigenvalues",) if hasattr(result, "eigenvalues") else ("q", "v", "lam")
            for name in names:
                vector = np.asarray(getattr(result, name))
                self.values[f"{self.test}|{self.count}|{name}"] = vector[:: 1 + len(vector) // KEPT].copy()
            return result

        solver.solve = solve  # type: ignore[attr-defined]

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.test, self.count = item.nodeid, 0
        # imported inside the function, because MPI would otherwise pass its variables to the programs that tests start
        if not self.watches and "windlass" in sys.modules:
            for name in ("Static", "Dynamic", "Explicit", "Modes"):
                self.watch(getattr(sys.modules["windlass"], name))
            self.watches = True

    @pytest.hookimpl
    def pytest_sessionfinish(self) -> None:
        if self.values:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(self.file, **self.values)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the folder of the files, one file for each process of the tests."""
    parser.addoption("--digits", metavar="FOLDER", help="write what solves end with")


def pytest_configure(config: pytest.Config) -> None:
    """Record the solves of this process."""
    folder = config.getoption("digits")
    if folder:
        worker = getattr(config, "workerinput", {}).get("workerid", "main")
        # one file per process, because `make test` calls pytest twice
        config.pluginmanager.register(Digits(Path(config.rootpath, folder, f"{worker}-{os.getpid()}.npz")), "digits")


def read(folder: Path) -> dict[str, Any]:
    """Return all vectors of the files of a folder, with their names as keys."""
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("*.npz")):
        with np.load(file) as content:
            found |= {name: content[name] for name in content.files}
    return found


def compare(one: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    """Return the largest difference of each pair of vectors, relative to the largest value, or inf if the lengths
    differ.
    """
    differences = {}
    for name in one.keys() & other.keys():
        a, b = one[name], other[name]
        if a.shape != b.shape:
            differences[name] = np.inf
        elif a.size:
            size = max(np.abs(a).max(), np.abs(b).max())
            differences[name] = float(np.abs(a - b).max() / size) if size else 0.0
    return differences


def main(folder: str, other: str) -> None:
    """Print the number of vectors that agree to each digit, and the vectors with the largest differences."""
    one, two = read(Path(folder)), read(Path(other))
    differences = compare(one, two)
    print(f"{len(differences)} vectors in both, {len(one.keys() ^ two.keys())} in one only")
    decades = Counter(next((d for d in DECADES if value <= 10.0**d), 0) for value in differences.values())
    for d in sorted(decades):
        print(f"to 1e{d:+03d}: {decades[d]:6d}" if d else f"further apart: {decades[d]}")
    for name, value in sorted(differences.items(), key=lambda item: -item[1])[:60]:
        print(f"{value:9.1e}  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
